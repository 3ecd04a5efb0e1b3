//! What day and time it is, and who is likely to be at work.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use tarsy_catalog::ResolvedCalendar;

const USUAL: &str = "People are at work as usual.";
const REDUCED: &str = "Few people are at work: say what whoever is on call has to do now, and what can wait for a working day.";

/// The lines of a prompt about a time. Without a time zone, or without data about it, they have UTC alone.
pub(crate) fn calendar(now: Timestamp, calendar: &ResolvedCalendar) -> String {
    let utc = now.to_zoned(TimeZone::UTC);
    let zone = calendar.time_zone.as_deref().filter(|name| *name != "UTC");
    let local = zone.and_then(|name| Some((name, now.to_zoned(TimeZone::get(name).ok()?))));
    let mut text = format!("{}, {} UTC", day(utc.weekday()), utc.strftime("%Y-%m-%d %H:%M"));
    let mut date = utc.date();
    if let Some((name, local)) = &local {
        let day = day(local.weekday());
        text = format!("{text}; {day}, {} in {name}", local.strftime("%Y-%m-%d %H:%M"));
        date = local.date();
    }
    format!("{text}. {}", class(date, calendar))
}

fn class(date: Date, calendar: &ResolvedCalendar) -> String {
    let is_today = |month: i8, day: i8| (date.month(), date.day()) == (month, day);
    let holiday = calendar.holidays.iter().find(|one| is_today(one.month, one.day));
    match (holiday, date.weekday()) {
        (Some(holiday), _) => format!("It is a holiday ({}). {REDUCED}", holiday.name),
        (None, Weekday::Saturday | Weekday::Sunday) => format!("It is a weekend. {REDUCED}"),
        (None, _) => format!("It is a working day. {USUAL}"),
    }
}

const fn day(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::ResolvedHoliday;

    use super::*;

    fn at(time: &str, zone: Option<&str>) -> String {
        let christmas = ResolvedHoliday { month: 12, day: 25, name: "Christmas Day".to_owned() };
        let place =
            ResolvedCalendar { time_zone: zone.map(str::to_owned), holidays: vec![christmas] };
        calendar(time.parse().unwrap(), &place)
    }

    #[test]
    fn a_day_is_a_working_day_a_weekend_or_a_holiday() {
        let text = at("2026-08-05T09:30:00Z", None);
        assert_eq!(
            text,
            "Wednesday, 2026-08-05 09:30 UTC. It is a working day. People are at work as usual."
        );
        let text = at("2026-08-08T09:30:00Z", None);
        assert!(text.contains("It is a weekend. Few people are at work"), "{text}");
        let text = at("2026-12-25T09:30:00Z", None);
        assert!(text.contains("It is a holiday (Christmas Day). Few people"), "{text}");
    }

    #[test]
    fn the_day_is_that_of_the_place() {
        let text = at("2026-08-07T23:30:00Z", Some("Europe/Berlin"));
        let times = "Friday, 2026-08-07 23:30 UTC; Saturday, 2026-08-08 01:30 in Europe/Berlin.";
        assert!(text.starts_with(times) && text.contains("weekend"), "{text}");
        assert!(at("2026-08-07T23:30:00Z", Some("UTC")).contains("working day"));
        assert!(at("2026-08-07T23:30:00Z", Some("Nowhere/Land")).contains("23:30 UTC. It"));
    }
}
