//! Prices: what tokens cost, by model. A table comes along, and a user can override every line of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Usage;

/// What a million tokens of one model cost, in dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Read, and in no cache.
    pub input: f64,
    /// Read from a cache; the price of input where it is left out.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Put into a cache; the price of input where it is left out.
    #[serde(default)]
    pub cache_written: Option<f64>,
    /// Written.
    pub output: f64,
}

/// Prices by the beginning of a model's name; the longest that fits counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

/// Why a price cannot be used.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum PriceError {
    /// It is negative, not a number, or beyond any price there is.
    #[error("invalid price for `{model}`")]
    Senseless { model: String },
}

impl Prices {
    pub fn built_in() -> Self {
        let table = toml::from_str(BUILT_IN).expect("the table that comes along is under test");
        Self(table)
    }

    /// The table that comes along, with lines of the user's own in place of it.
    pub fn with(own: BTreeMap<String, Price>) -> Result<Self, PriceError> {
        for (model, price) in &own {
            let amounts =
                [Some(price.input), price.cached, price.cache_written, Some(price.output)];
            if amounts.into_iter().flatten().any(|amount| !(0.0..=DOLLARS_MAX).contains(&amount)) {
                return Err(PriceError::Senseless { model: model.clone() });
            }
        }
        let mut all = Self::built_in();
        all.0.extend(own);
        Ok(all)
    }

    /// What this usage costs, in millionths of a dollar; nothing is known of a model that is not listed.
    pub fn micro_dollars(&self, model: &str, usage: &Usage) -> Option<u64> {
        // Gateways put the provider before the name.
        let name = model.rsplit('/').next().unwrap_or(model);
        let fits =
            |known: &&String| name.starts_with(known.as_str()) || model.starts_with(known.as_str());
        let price = self.0.get(self.0.keys().filter(fits).max_by_key(|known| known.len())?)?;
        // A dollar for a million tokens is a millionth of a dollar for one.
        let cost = usage.input as f64 * price.input
            + usage.cached as f64 * price.cached.unwrap_or(price.input)
            + usage.cache_written as f64 * price.cache_written.unwrap_or(price.input)
            + usage.output as f64 * price.output;
        Some(cost.ceil() as u64)
    }
}

const BUILT_IN: &str = include_str!("prices.toml");
/// No price is beyond this, for a million tokens.
const DOLLARS_MAX: f64 = 100_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage =
        Usage { input: 1_000_000, cached: 1_000_000, cache_written: 0, output: 100_000 };

    #[test]
    fn the_longest_name_that_fits_has_the_price() {
        let own = [("m", 1.0), ("m-large", 10.0)].map(|(name, input)| {
            let price = Price { input, cached: Some(0.5), cache_written: None, output: 20.0 };
            (name.to_owned(), price)
        });
        let prices = Prices::with(own.into()).unwrap();
        assert_eq!(prices.micro_dollars("m-small-2026", &USAGE), Some(3_500_000));
        assert_eq!(prices.micro_dollars("gateway/m-large-1", &USAGE), Some(12_500_000));
        assert_eq!(prices.micro_dollars("unheard-of", &USAGE), None);
    }

    #[test]
    fn a_user_overrides_what_comes_along() {
        let (model, _) = Prices::built_in().0.pop_first().unwrap();
        let price = Price { input: 0.0, cached: None, cache_written: None, output: 0.0 };
        let prices = Prices::with([(model.clone(), price)].into()).unwrap();
        assert_eq!(prices.micro_dollars(&model, &USAGE), Some(0));
        for input in [-1.0, f64::NAN, f64::INFINITY] {
            let price = Price { input, cached: None, cache_written: None, output: 0.0 };
            let refused = Prices::with([(model.clone(), price)].into());
            assert_eq!(refused, Err(PriceError::Senseless { model: model.clone() }));
        }
    }
}
