import { Schema, SchemaTransformation } from "effect"
import { withDescription, optional, trimmed } from "../catalog/Fields.ts"
import { asciiLowerCase, asciiUpperCase } from "../Text.ts"
import { isHostName } from "../webhooks/HostName.ts"

/* Settings of a store, for use by apps. The service stores them and does not use them. */

/** Country codes of ISO 3166-1 alpha-2. */
export const COUNTRIES = new Set(
  `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
  BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
  FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
  IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
  ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
  PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
  TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
`.match(/[A-Z]{2}/g)
)

/** Country code of ISO 3166-1 alpha-2, in any case; stored in upper case. */
export const Country = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter((code) => COUNTRIES.has(code), { message: "must be a country code of ISO 3166, as in DE" })
    ),
    SchemaTransformation.transform({ decode: asciiUpperCase, encode: (code) => code })
  )
)

/** Matches names, not the offsets that `Intl` also accepts, because offsets have no rules for summer time. */
const ZONE = /^[A-Za-z]/

/** Matches older names and aliases, such as `Asia/Kolkata`, in the spelling of the database. */
const ALIAS = /^(?:US|[A-Z][a-z]+)(?:[/_][A-Z][a-z]+)*$/

/**
 * Returns the name of a time zone in the spelling of the IANA database, or an empty text for an unknown one. `Intl` resolves
 * an alias to another name of the zone, so an alias is kept if it is spelled well.
 */
const zoneOf = (name: string): string => {
  try {
    const { timeZone } = Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions()
    if (!ZONE.test(name)) return ""
    return timeZone.toLowerCase() !== name.toLowerCase() && ALIAS.test(name) ? name : timeZone
  } catch {
    return ""
  }
}

/** Name of the IANA time zone database, in any case; stored in its spelling. */
export const Timezone = Schema.String.pipe(
  Schema.decodeTo(Schema.NonEmptyString, SchemaTransformation.transform({ decode: zoneOf, encode: (name) => name }))
).annotate({ message: "must be a time zone of the IANA database, as in Europe/Berlin" })

const localeOf = (tag: string) => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? ""
  } catch {
    return ""
  }
}

/** Language tag of BCP 47, stored in canonical form. */
export const Locale = Schema.String.pipe(
  Schema.decodeTo(Schema.NonEmptyString, SchemaTransformation.transform({ decode: localeOf, encode: (tag) => tag }))
).annotate({ message: "must be a language tag of BCP 47, as in de-DE" })

/** Host name of the storefront. */
export const Domain = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter((name) => name.includes(".") && isHostName(name), {
        message: "must be a host name, as in shop.example.com"
      })
    ),
    SchemaTransformation.transform({ decode: asciiLowerCase, encode: (name) => name })
  )
)

/** Unit of product weights. */
export const WeightUnit = Schema.Literals(["kg", "g", "lb", "oz"])

/** Settings of a store in addition to its name and currency. */
export const Settings = Schema.Struct({
  domain: Schema.NullOr(Schema.String).annotate({ description: "Host name of the storefront" }),
  timezone: Schema.String.annotate({ description: "Name in the IANA time zone database" }),
  locale: Schema.String.annotate({ description: "Language tag of BCP 47" }),
  country: Schema.NullOr(Schema.String).annotate({ description: "ISO 3166-1 alpha-2" }),
  weightUnit: WeightUnit.annotate({ description: "Unit of product weights" })
})
export type Settings = typeof Settings.Type

/**
 * Changes to a store by its members. Absent fields keep their value; null clears a field. The currency cannot change,
 * because prices depend on it.
 */
export const UpdateSettings = Schema.Struct({
  name: optional(withDescription(trimmed(255), "Name of the store")),
  domain: optional(Schema.NullOr(Domain).annotate({ description: "Host name of the storefront" })),
  timezone: optional(Timezone),
  locale: optional(Locale),
  country: optional(Schema.NullOr(Country).annotate({ description: "ISO 3166-1 alpha-2" })),
  weightUnit: optional(WeightUnit)
})
export type UpdateSettings = typeof UpdateSettings.Type

export const DEFAULT_SETTINGS: Settings = {
  domain: null,
  timezone: "UTC",
  locale: "en",
  country: null,
  weightUnit: "kg"
}
