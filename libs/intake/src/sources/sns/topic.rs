//! The ARNs of topics, and where SNS is for them.

/// The host of SNS in the region of a topic, by its ARN: `arn:PARTITION:sns:REGION:ACCOUNT:NAME`. None if it is no topic of a
/// partition with a known domain.
pub(crate) fn host(arn: &str) -> Option<String> {
    let parts: Vec<&str> = arn.split(':').collect();
    let ["arn", partition, "sns", region, account, name] = parts.as_slice() else { return None };
    let domain = match *partition {
        "aws" | "aws-us-gov" => "amazonaws.com",
        "aws-cn" => "amazonaws.com.cn",
        _ => return None,
    };
    let is_account = !account.is_empty() && account.bytes().all(|byte| byte.is_ascii_digit());
    (is_region(region) && is_account && !name.is_empty()).then(|| format!("sns.{region}.{domain}"))
}

/// Such as `eu-west-1`: at least three parts, of which the last is a number. Names of other services have fewer, and a
/// bucket is none.
fn is_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let Some((number, words)) = parts.split_last() else { return false };
    let is_word = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
    words.len() > 1
        && words.iter().all(is_word)
        && (1..=2).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arn_of_a_topic_names_the_host_of_its_region() {
        for (arn, expected) in [
            ("arn:aws:sns:eu-west-1:123456789012:a", Some("sns.eu-west-1.amazonaws.com")),
            (
                "arn:aws:sns:ap-southeast-2:123456789012:a.fifo",
                Some("sns.ap-southeast-2.amazonaws.com"),
            ),
            (
                "arn:aws-us-gov:sns:us-gov-east-1:123456789012:a",
                Some("sns.us-gov-east-1.amazonaws.com"),
            ),
            ("arn:aws-cn:sns:cn-north-1:123456789012:a", Some("sns.cn-north-1.amazonaws.com.cn")),
            ("arn:aws:sns:s3:123456789012:a", None),
            ("arn:aws:sns:s3-eu-west-1:123456789012:a", None),
            ("arn:aws:sns:eu-west-1.s3:123456789012:a", None),
            ("arn:aws:sns::123456789012:a", None),
            ("arn:aws:sqs:eu-west-1:123456789012:a", None),
            ("arn:aws:sns:eu-west-1::a", None),
            ("arn:aws:sns:eu-west-1:123456789012:", None),
            ("arn:other:sns:eu-west-1:123456789012:a", None),
            ("alarms", None),
        ] {
            assert_eq!(host(arn).as_deref(), expected, "{arn}");
        }
    }
}
