import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Country, Domain, Locale, Timezone } from "../../../src/domain/access/Settings.ts"

/** The decoded value of each text, or null for a rejected one. */
const decodeAll = (schema: Schema.Codec<string, string>, ...texts: ReadonlyArray<string>) =>
  texts.map((text) => Result.getOrNull(Schema.decodeResult(schema)(text)))

const zoneOf = (timeZone: string) => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone

describe("Store settings", () => {
  it("a country is a code of ISO 3166 in any case", () => {
    assert.deepStrictEqual(decodeAll(Country, "DE", "pt", "XK", "EU", "UK", "DEU", "", "D", "DE ", "ß", "ﬁ", "ſe"), [
      "DE",
      "PT",
      ...Array.from({ length: 10 }, () => null)
    ])
  })

  it("a time zone is an IANA name in any case, stored in its spelling, and not an offset", () => {
    const known = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+1", "US/Eastern"]
    assert.deepStrictEqual(decodeAll(Timezone, ...known), known)
    assert.deepStrictEqual(decodeAll(Timezone, "Europe/BERLIN", "europe/berlin", "utc", "america/port-AU-prince"), [
      "Europe/Berlin",
      "Europe/Berlin",
      "UTC",
      "America/Port-au-Prince"
    ])
    const unknown = ["+01:00", "Europe/Atlantis", "Berlin", "", " Europe/Berlin", "Europe/Berl\u0131n"]
    assert.deepStrictEqual(new Set(decodeAll(Timezone, ...unknown)), new Set([null]))
  })

  it("a misspelled alias of a time zone decodes to a name of the same zone", () => {
    for (const [alias, target] of [
      ["ASIA/KOLKATA", "Asia/Kolkata"],
      ["us/eastern", "America/New_York"]
    ] as const) {
      const [name] = decodeAll(Timezone, alias)
      assert.notStrictEqual(name, alias)
      assert.strictEqual(zoneOf(name ?? "Etc/Unknown"), zoneOf(target))
    }
  })

  it("a locale is a language tag and decodes to its canonical form", () => {
    assert.deepStrictEqual(decodeAll(Locale, "de", "de-de", "ZH-hant-tw", "de_DE", "", "german language"), [
      "de",
      "de-DE",
      "zh-Hant-TW",
      null,
      null,
      null
    ])
  })

  it("a domain is a host name with a dot and decodes to lower case", () => {
    assert.deepStrictEqual(
      decodeAll(
        Domain,
        "Shop.Example.com",
        "localhost",
        "https://a.example",
        "a..example",
        "a b.c",
        "shop.\u212aiosk.example"
      ),
      ["shop.example.com", null, null, null, null, null]
    )
  })
})
