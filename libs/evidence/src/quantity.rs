//! Numbers with units, and when two of them mean the same.

/// The dimension that a number is compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dimension {
    Plain,
    Percent,
    Bytes,
    Seconds,
    Cores,
    Bits,
}

/// A unit as it is written, in one spelling: `Mi` for `MiB` and `mebibytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit(&'static str);

/// What a unit may mean: the dimension, and the size of one in its base. `K` is a thousand, or bytes of either kind.
type Meaning = (Dimension, f64);

const KIB: f64 = 1_024.0;
const MIB: f64 = KIB * KIB;
const GIB: f64 = MIB * KIB;
const TIB: f64 = GIB * KIB;

/// Unit, spellings, meanings. Spellings are compared in lower case where they have more than one letter.
const UNITS: [(&str, &[&str], &[Meaning]); 32] = [
    ("", &[], &[(Dimension::Plain, 1.0)]),
    ("count", &[], &[(Dimension::Plain, 1.0)]),
    ("%", &["%", "percent", "pct", "percentage"], &[(Dimension::Percent, 1.0)]),
    ("B", &["B", "byte", "bytes"], &[(Dimension::Bytes, 1.0)]),
    (
        "K",
        &["k", "K", "thousand"],
        &[(Dimension::Bytes, 1e3), (Dimension::Bytes, KIB), (Dimension::Plain, 1e3)],
    ),
    ("KB", &["kb", "kilobytes"], &[(Dimension::Bytes, 1e3), (Dimension::Bytes, KIB)]),
    ("Ki", &["ki", "kib", "kibibytes"], &[(Dimension::Bytes, KIB)]),
    (
        "M",
        &["M", "million"],
        &[(Dimension::Bytes, 1e6), (Dimension::Bytes, MIB), (Dimension::Plain, 1e6)],
    ),
    ("MB", &["mb", "megabytes"], &[(Dimension::Bytes, 1e6), (Dimension::Bytes, MIB)]),
    ("Mi", &["mi", "mib", "mebibytes"], &[(Dimension::Bytes, MIB)]),
    (
        "G",
        &["G", "g", "billion"],
        &[(Dimension::Bytes, 1e9), (Dimension::Bytes, GIB), (Dimension::Plain, 1e9)],
    ),
    ("GB", &["gb", "gigabytes"], &[(Dimension::Bytes, 1e9), (Dimension::Bytes, GIB)]),
    ("Gi", &["gi", "gib", "gibibytes"], &[(Dimension::Bytes, GIB)]),
    ("T", &["T", "t"], &[(Dimension::Bytes, 1e12), (Dimension::Bytes, TIB)]),
    ("TB", &["tb", "terabytes"], &[(Dimension::Bytes, 1e12), (Dimension::Bytes, TIB)]),
    ("Ti", &["ti", "tib", "tebibytes"], &[(Dimension::Bytes, TIB)]),
    ("ns", &["ns", "nanoseconds"], &[(Dimension::Seconds, 1e-9)]),
    ("us", &["us", "µs", "μs", "microseconds"], &[(Dimension::Seconds, 1e-6)]),
    ("ms", &["ms", "msec", "msecs", "millisecond", "milliseconds"], &[(Dimension::Seconds, 1e-3)]),
    ("s", &["s", "sec", "secs", "second", "seconds"], &[(Dimension::Seconds, 1.0)]),
    // Of the JVM and nginx: 1024 * 1024 bytes.
    ("m", &["m"], &[(Dimension::Seconds, 60.0), (Dimension::Cores, 1e-3), (Dimension::Bytes, MIB)]),
    ("min", &["min", "mins", "minute", "minutes"], &[(Dimension::Seconds, 60.0)]),
    ("h", &["h", "hr", "hrs", "hour", "hours"], &[(Dimension::Seconds, 3_600.0)]),
    ("d", &["d", "day", "days"], &[(Dimension::Seconds, 86_400.0)]),
    ("w", &["w", "week", "weeks"], &[(Dimension::Seconds, 604_800.0)]),
    ("month", &["month", "months"], &[(Dimension::Seconds, 2_629_800.0)]),
    ("y", &["y", "year", "years"], &[(Dimension::Seconds, 31_557_600.0)]),
    (
        "cores",
        &["core", "cores", "cpu", "cpus", "vcpu", "vcpus"],
        &[(Dimension::Cores, 1.0), (Dimension::Plain, 1.0)],
    ),
    ("mcores", &["millicores", "millicore", "mcores", "mcpu"], &[(Dimension::Cores, 1e-3)]),
    // In a second.
    ("kbps", &["kbps", "kbit", "kbits"], &[(Dimension::Bits, 1e3)]),
    ("Mbps", &["mbps", "mbit", "mbits"], &[(Dimension::Bits, 1e6)]),
    ("Gbps", &["gbps", "gbit", "gbits"], &[(Dimension::Bits, 1e9)]),
];

/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// How far `about 3 GiB` may be off.
const ABOUT: f64 = 0.12;
/// How far above the number `more than 90 %` reaches, and below it `less than`.
const BEYOND: f64 = 0.2;
/// Up to which a number without a unit may count hours, days or gibibytes.
const MOST_DROPPED: f64 = 1e5;
/// How far a result may be off because it is rounded itself.
const ROUNDED: f64 = 0.03;
/// Two numbers that differ by less than this part are the same; conversions are not exact.
const EXACT: f64 = 1e-9;

impl Unit {
    /// No unit.
    pub const NONE: Self = Self("");
    pub(crate) const SECONDS: Self = Self("s");
    pub(crate) const CORES: Self = Self("cores");

    /// The unit that is spelled so, if it is one.
    pub(crate) fn parse(spelling: &str) -> Option<Self> {
        if spelling.is_empty() || spelling.len() > 14 {
            return None;
        }
        let lower = spelling.to_lowercase();
        let matches = |known: &&str| {
            if known.len() == 1 { *known == spelling } else { *known == lower }
        };
        UNITS.iter().find(|unit| unit.1.iter().any(&matches)).map(|unit| Self(unit.0))
    }

    /// The unit that the name of a field carries: `memory_bytes`, `Size(KB)`, `latency_ms.p99`, `Use%`.
    pub(crate) fn of_field(field: &str) -> Option<Self> {
        if field.ends_with('%') || field.starts_with('%') {
            return Some(Self("%"));
        }
        // iostat: kilobytes each second, and waits in milliseconds.
        if field.ends_with("kB/s") {
            return Some(Self("KB"));
        }
        if field.ends_with("_await") {
            return Some(Self("ms"));
        }
        // What counts has neither bytes nor seconds: `http_request_duration_seconds_count`.
        let lower = field.to_lowercase();
        if lower.ends_with("_count")
            || lower.ends_with("_bucket")
            || field.ends_with("Count")
            || lower.ends_with("requests_total")
        {
            return Some(Self("count"));
        }
        let whole = ["bytes", "seconds", "milliseconds", "ms", "percent"];
        let last = lower.rsplit('.').next().unwrap_or_default();
        if let Some(unit) = whole.into_iter().find(|unit| *unit == last) {
            return Self::parse(unit);
        }
        let measured = ["_sum", "_total", "_avg", "_max", "_min", "_mean"]
            .into_iter()
            .find_map(|end| field.strip_suffix(end));
        measured.unwrap_or(field).rsplit('.').find_map(Self::of_segment)
    }

    fn of_segment(segment: &str) -> Option<Self> {
        let last = segment.rsplit(|c: char| !c.is_alphanumeric()).find(|part| !part.is_empty())?;
        // A rate: `bytesPerSecond`, `rows_per_second`.
        let before =
            segment.strip_suffix(last).unwrap_or_default().trim_end_matches(['_', ' ', '.']);
        // Not `periodSeconds`.
        let is_per = |(at, _): (usize, &str)| {
            last.get(at + "Per".len()..).is_some_and(|rest| rest.starts_with(char::is_uppercase))
        };
        if before.to_lowercase().ends_with("per") || last.match_indices("Per").any(is_per) {
            return None;
        }
        if last.len() < segment.len() {
            let unit = Self::parse(last)?;
            return (last.len() > 1 || segment.contains('_')).then_some(unit);
        }
        let hump = last.rfind(|c: char| c.is_uppercase()).filter(|at| *at > 0)?;
        last.get(hump..).filter(|unit| unit.len() > 1).and_then(Self::parse)
    }

    /// The unit of [`Quantity::base`].
    pub(crate) fn base_unit(self) -> Self {
        let one = Quantity { number: 1.0, step: 1.0, unit: self };
        let known = ["B", "s", "%"].into_iter().filter_map(Self::parse);
        let mut known = known
            .filter(|base| one.is_comparable(&Quantity { number: 1.0, step: 1.0, unit: *base }));
        known.next().unwrap_or(Self::NONE)
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        UNITS.iter().map(|unit| Self(unit.0))
    }

    fn meanings(self) -> &'static [Meaning] {
        UNITS.iter().find(|unit| unit.0 == self.0).map_or(&[], |unit| unit.2)
    }

    /// The unit in its one spelling.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Without its sign.
    pub number: f64,
    /// One in the last digit that is written: 0.01 for `1.25`; 60 for `3h12m`, which is read as seconds.
    pub step: f64,
    pub unit: Unit,
}

/// What a text says about how exact its number is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Precision {
    #[default]
    AsWritten,
    About,
    AtLeast,
    AtMost,
}

/// How well a number of a result fits the number of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    No,
    /// Only if the result leaves out the very unit of the claim: `200` for 200 GiB, `7` for 7 days.
    Dropped,
    /// Only if the unit that one of both leaves out is the one of the other.
    Weak,
    Exact,
}

impl Quantity {
    pub(crate) fn seconds(number: f64, step: f64) -> Self {
        Self { number, step, unit: Unit::SECONDS }
    }

    /// The value in bytes, seconds, cores or percent, in the first meaning of its unit.
    pub(crate) fn base(&self) -> f64 {
        self.number * self.unit.meanings().first().map_or(1.0, |meaning| meaning.1)
    }

    /// The dimensions that it may be of, each with the size of its unit there.
    pub(crate) fn dimensions(&self) -> &'static [(Dimension, f64)] {
        self.unit.meanings()
    }

    /// Whether both are of the same dimension in some meaning.
    pub(crate) fn is_comparable(&self, other: &Self) -> bool {
        let others = other.unit.meanings();
        self.unit.meanings().iter().any(|one| others.iter().any(|two| one.0 == two.0))
    }

    /// Significant digits, without zeros at the end.
    pub(crate) fn digits(&self) -> usize {
        let scaled = if self.step < 1.0 { self.number / self.step } else { self.number };
        let digits = format!("{:.0}", scaled.round());
        digits.trim_end_matches('0').len()
    }

    /// Whether a number of so many digits is the same in another unit that this is no chance: `20 GiB` and 21474836480.
    pub(crate) fn is_conversion_of(&self, source: &Self) -> bool {
        const ENOUGH_DIGITS: usize = 4;
        const LARGE: f64 = 1e4;
        (source.digits() >= ENOUGH_DIGITS || source.digits() > 2 && source.number >= LARGE)
            && self.unit.meanings().iter().any(|(dimension, scale)| {
                let value = self.number * scale;
                let others = source.unit.meanings().iter().filter(|other| {
                    other.0 == *dimension || source.unit == Unit::NONE && self.unit != Unit::NONE
                });
                others
                    .map(|other| source.number * other.1)
                    .any(|found| (value - found).abs() <= EXACT * value.abs())
            })
    }

    /// Whether a claim of this number is borne out by `source`.
    pub(crate) fn fits(&self, source: &Self, precision: Precision) -> Fit {
        let mut best = Fit::No;
        for &(dimension, scale) in self.unit.meanings() {
            for &(other, size) in source.unit.meanings() {
                let fit = if dimension == other {
                    let same = self.unit == source.unit || is_equal(scale, size);
                    self.scaled(scale).covers(&source.scaled(size), precision, same)
                } else {
                    false
                };
                if fit {
                    return Fit::Exact;
                }
            }
            best = best.max(self.fits_without_unit((dimension, scale), source, precision));
        }
        best
    }

    /// How it fits if the result leaves its unit out, or the claim does.
    fn fits_without_unit(&self, meaning: Meaning, source: &Self, precision: Precision) -> Fit {
        let (dimension, scale) = meaning;
        // Nobody counts petabytes in kibibytes.
        let (kib, mib) = (source.number < 1e10, source.number < 1e7);
        let sizes: &[f64] = match (dimension, source.unit.0) {
            (Dimension::Percent, "") if source.step < 1.0 && source.number <= 1.5 => &[100.0, 1.0],
            (Dimension::Bytes, "") if mib => &[1.0, KIB, MIB],
            (Dimension::Bytes, "") if kib => &[1.0, KIB],
            (Dimension::Percent | Dimension::Bytes, "") => &[1.0],
            (Dimension::Seconds, "") => &[1.0, 1e-3, 1e-6, 1e-9],
            (Dimension::Cores, "") => &[1.0, 1e-3],
            (Dimension::Plain, other) if !other.is_empty() && self.unit == Unit::NONE => &[1.0],
            _ => return Fit::No,
        };
        let wanted = self.scaled(scale);
        let fits =
            |size: f64| wanted.covers(&source.scaled(size), precision, is_equal(scale, size));
        // Weeks and months are counted in days, too.
        let is_long = dimension == Dimension::Seconds && scale > DAY;
        if sizes.iter().any(|size| fits(*size)) {
            Fit::Weak
        } else if source.unit == Unit::NONE
            && source.number < MOST_DROPPED
            && (fits(scale) || is_long && fits(DAY))
        {
            Fit::Dropped
        } else {
            Fit::No
        }
    }

    /// Where the numbers with this unit lie that may fit, generously.
    pub(crate) fn reach(&self, unit: Unit) -> Vec<(f64, f64)> {
        let mut centres: Vec<f64> = Vec::new();
        for &(dimension, scale) in self.unit.meanings() {
            let same = unit.meanings().iter().filter(|other| other.0 == dimension);
            centres.extend(same.map(|other| self.number * scale / other.1));
            if unit == Unit::NONE {
                centres.push(self.number);
            }
            let sizes: &[f64] = match dimension {
                _ if unit != Unit::NONE => &[],
                Dimension::Percent => &[1.0, 100.0],
                Dimension::Bytes => &[1.0, KIB, MIB],
                Dimension::Seconds => &[1.0, 1e-3, 1e-6, 1e-9, DAY],
                Dimension::Cores => &[1.0, 1e-3],
                Dimension::Plain | Dimension::Bits => &[],
            };
            centres.extend(sizes.iter().map(|size| self.number * scale / size));
        }
        if self.unit == Unit::NONE {
            centres.push(self.number);
        }
        let relative = if self.number > 0.0 { self.step / self.number } else { 1.0 };
        let wide =
            |centre: &f64| (centre * (0.65 - relative) - 1.0, centre * (1.35 + relative) + 1.0);
        centres.iter().map(wide).collect()
    }

    fn scaled(&self, scale: f64) -> Self {
        Self { number: self.number * scale, step: self.step * scale, unit: self.unit }
    }

    /// Whether the value of a result lies where this number, rounded as it is written, may stand for it.
    fn covers(&self, source: &Self, precision: Precision, same_unit: bool) -> bool {
        let (value, found) = (self.number, source.number);
        let near = (value - found).abs() <= EXACT * value.abs().max(found.abs()).max(1e-300);
        let whole = same_unit && self.step >= 1.0 && source.step >= self.step * (1.0 - EXACT);
        // `over two days` is less than three.
        let is_time = self.unit.meanings().iter().any(|meaning| meaning.0 == Dimension::Seconds);
        let whole_time = if is_time { self.step } else { 0.0 };
        match precision {
            _ if near => true,
            Precision::AtLeast => {
                found > value && found <= (value * (1.0 + BEYOND)).max(value + whole_time)
            }
            Precision::AtMost => {
                found < value && found >= (value * (1.0 - BEYOND)).min(value - whole_time)
            }
            Precision::About => (found - value).abs() <= (value.abs() * ABOUT).max(self.step * 0.5),
            Precision::AsWritten if whole => false,
            Precision::AsWritten => self.covers_rounded(source, same_unit),
        }
    }

    /// Rounding to the nearest, and cutting digits off, are both usual.
    fn covers_rounded(&self, source: &Self, same_unit: bool) -> bool {
        // A result may be rounded, too, but `1Gi` is not 640 MiB.
        let is_decimal = self.unit == Unit::NONE;
        let slack = if same_unit || is_decimal {
            0.0
        } else {
            (source.step * 0.5).min(source.number * ROUNDED)
        };
        // One digit may be cut off only where people count so: `2 minutes`. Else `1 GiB` is near one.
        let is_time = self.unit.meanings().iter().any(|meaning| meaning.0 == Dimension::Seconds);
        let is_short = !is_time && self.number < 3.0 * self.step;
        let half =
            if is_short { (self.step * 0.5).min(self.number * 0.25) } else { self.step * 0.5 };
        let cut = if is_short { half } else { self.step };
        let low = self.number - half - slack;
        let high = self.number + cut.max(half + slack);
        // A claim may round a result, but not add digits that the result does not have.
        let added = (same_unit || is_decimal) && source.step > self.step * (1.0 + EXACT);
        // Nor may one digit stand for whatever is near it.
        let coarse = self.step > self.number * 0.5
            && source.step < self.step
            && source.number > 10.0 * self.step;
        !added
            && !coarse
            && source.number >= low * (1.0 - EXACT)
            && source.number < high * (1.0 - EXACT)
    }
}

/// Whether two sizes of units are one.
fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= EXACT * one.abs()
}
