//! Functions of SQL that read, in any of the known systems.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::words::set;

/// Neither functions that change something, nor those that reach files, other servers, or settings, or that run a text.
static READING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(
        "abs acos acosh age any any_value approx_count_distinct approx_distinct approx_percentile approx_quantiles \
        approx_top_count argmax argmin array array_agg array_append array_cat array_concat array_contains array_distinct \
        array_join array_length array_lower array_max array_min array_position array_positions array_prepend array_remove \
        array_replace array_reverse array_size array_slice array_sort array_sum array_to_string array_unique array_upper \
        arraycount arraydistinct arrayelement arrayexists arrayfilter arrayjoin arraymap arrayreduce arraysort arraysum \
        ascii asin asinh atan atan2 atanh avg avgif avgmerge bin bit_and bit_count bit_length bit_or bit_xor bool_and bool_or \
        btrim bucket cardinality cast ceil ceiling char char_length character_length charindex chr coalesce collation \
        col_description concat concat_ws contains convert convert_timezone convert_tz corr cos cosh cot count count_big \
        count_if countif countmerge covar_pop covar_samp cume_dist curdate current_catalog current_database current_date \
        current_query current_role current_schema current_schemas current_setting current_time current_timestamp \
        current_user curtime date date_add date_bin date_diff date_format date_from_parts date_part date_sub date_trunc \
        dateadd datediff datefromparts datename datepart datetime datetime_add datetime_diff datetime_sub datetime_trunc \
        datetrunc day day_of_month day_of_week day_of_year dayname dayofmonth dayofweek dayofyear db_id db_name decode \
        degrees dense_rank div element_at elt endswith endofmonth eomonth epoch epoch_ms every exists exp extract factorial \
        field find_in_set first first_value flatten floor format format_bytes format_date format_datetime format_timestamp \
        format_type formatdatetime formatreadablesize formatreadablequantity formatreadabletimedelta from_base64 from_days \
        from_iso8601_timestamp from_timestamp from_unixtime fromunixtimestamp fromunixtimestamp64milli generate_date_array \
        generate_series generate_subscripts generate_timestamp_array get_bit get_byte getdate getutcdate glob greatest \
        group_concat groupuniqarray grouparray grouping grouping_id hash has hasall hasany hastoken hex \
        hour host hostmask if ifnull iff iif ilike indexof inet_aton inet_ntoa initcap instr int4range int8range interval \
        ipv4numtostring ipv4stringtonum is_ipv4 is_ipv6 isfinite isnan isnull isodow json json_agg json_array \
        json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_contains \
        json_contains_path json_each json_each_text json_exists json_extract json_extract_array json_extract_path \
        json_extract_path_text json_extract_scalar json_extract_string json_group_array json_group_object json_keys \
        json_length json_object json_object_agg json_object_keys json_pretty json_query json_search json_strip_nulls \
        json_to_record json_to_recordset json_tree json_type json_typeof json_unquote json_valid json_value jsonb_agg \
        jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each \
        jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys jsonb_path_exists \
        jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_strip_nulls \
        jsonb_to_record jsonb_to_recordset jsonb_typeof jsonextract jsonextractarrayraw jsonextractbool jsonextractfloat \
        jsonextractint jsonextractraw jsonextractstring jsonhas jsonlength julianday justify_days justify_hours \
        justify_interval kurtosis lag last last_day last_value lastday lcase lead least left len length levenshtein ln \
        localtime localtimestamp locate log log10 log2 lower lpad ltrim make_date make_interval make_time make_timestamp \
        make_timestamptz makedate maketime map mapkeys mapvalues masklen max max_by maxif md5 median mid min min_by minif \
        minute mod mode month monthname months_between multiif netmask network notempty now nth_value ntile nullif num_nonnulls \
        num_nulls numbers numeric nvl nvl2 obj_description object_id object_name octet_length parse_date parse_datetime \
        parse_json parse_timestamp parsedatetimebesteffort parsename patindex percent_rank percentile_cont percentile_disc \
        pg_backend_pid pg_blocking_pids pg_client_encoding pg_column_size pg_conf_load_time pg_current_wal_lsn \
        pg_database_size pg_encoding_to_char pg_get_constraintdef pg_get_expr pg_get_functiondef pg_get_indexdef pg_get_partkeydef \
        pg_get_ruledef pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_has_role pg_indexes_size pg_is_in_recovery \
        pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_lsn pg_postmaster_start_time \
        pg_relation_filenode pg_relation_size pg_safe_snapshot_blocking_pids pg_size_bytes pg_size_pretty \
        pg_stat_get_activity pg_table_is_visible pg_table_size pg_tablespace_size pg_total_relation_size pg_typeof \
        pg_wal_lsn_diff pi position pow pragma_foreign_key_list pragma_index_info pragma_index_list pragma_table_info pragma_table_list power quantile quantileexact quantiles quantiletdigest quarter quote quote_ident \
        quote_literal quote_nullable radians rand random range rank regexp_contains regexp_count regexp_extract \
        regexp_extract_all regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array \
        regexp_split_to_table regexp_substr repeat replace replaceall replaceregexpall reverse right round row row_number \
        row_to_json rpad rtrim safe_cast safe_divide schema_name scope_identity second sec_to_time serverproperty session_user \
        sha1 sha2 shobj_description sign sin sinh skewness soundex space split split_part splitbychar splitbystring sqrt \
        square starts_with startswith stddev stddev_pop stddev_samp stdev stdevp str str_to_date strftime string_agg \
        string_split string_to_array string_to_table strpos struct stuff substr substring substring_index subtractdays \
        sum sumif summerge suser_name suser_sname switchoffset sysdate sysdatetime system_user sysutcdatetime \
        tan tanh time time_bucket time_diff time_format time_to_sec time_trunc timediff timefromparts timestamp \
        timestamp_add timestamp_diff timestamp_micros timestamp_millis timestamp_seconds timestamp_sub timestamp_trunc \
        timestampadd timestampdiff timezone to_base64 to_char to_date to_days to_hex to_json to_json_string to_jsonb to_number \
        to_regclass to_regnamespace to_regproc to_regrole to_regtype to_seconds to_timestamp to_tsquery to_tsvector to_varchar \
        todate todatetime todatetime64 todayofmonth todayofweek tofloat64 tohour toint32 toint64 tointervalday tointervalhour \
        tointervalminute tominute tomonday tomonth topk torelativedaynum tostartofday tostartoffifteenminutes tostartoffiveminutes \
        tostartofhour tostartofinterval tostartofminute tostartofmonth tostartofquarter tostartofweek tostartofyear tostring \
        total totypename touint32 touint64 tounixtimestamp toyear toyyyymm toyyyymmdd translate trim trim_array trunc truncate \
        try_cast try_convert try_parse_json ts_headline ts_rank tsrange tstzrange tuple tupleelement txid_current_if_assigned \
        txid_snapshot_xmin typeof ucase unhex unicode uniq uniqcombined uniqexact uniqhll12 unix_timestamp unixepoch unnest \
        upper user utc_date utc_time utc_timestamp var_pop var_samp variance variancepop version week weekday weekofyear \
        width_bucket xmlagg year yearweek zeroblob",
    )
});

pub(super) fn reads(name: &str) -> bool {
    READING.contains(name)
}
