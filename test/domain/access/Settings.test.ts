import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Country, Domain, Locale, Timezone } from "../../../src/domain/access/Settings.ts"

/** What becomes of each text: how it is kept, or null where it is refused. */
const kept = (schema: Schema.Codec<string, string>, ...texts: ReadonlyArray<string>) =>
  texts.map((text) => Result.getOrNull(Schema.decodeResult(schema)(text)))

describe("What a store says of itself", () => {
  it("is a country of ISO 3166, in any case", () => {
    assert.deepStrictEqual(kept(Country, "DE", "pt", "XK", "EU", "UK", "DEU", "", "D", "DE "), [
      "DE",
      "PT",
      ...Array.from({ length: 7 }, () => null)
    ])
  })

  it("is a time zone by its name, spelled as it is, and no offset", () => {
    const known = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+1"]
    assert.deepStrictEqual(kept(Timezone, ...known), known)
    const unknown = ["europe/berlin", "+01:00", "Europe/Atlantis", "Berlin", ""]
    assert.deepStrictEqual(new Set(kept(Timezone, ...unknown)), new Set([null]))
  })

  it("is a language tag in its canonical form", () => {
    assert.deepStrictEqual(kept(Locale, "de", "de-de", "ZH-hant-tw", "de_DE", "", "german language"), [
      "de",
      "de-DE",
      "zh-Hant-TW",
      null,
      null,
      null
    ])
  })

  it("is a host name with a dot, in lower case", () => {
    assert.deepStrictEqual(kept(Domain, "Shop.Example.com", "localhost", "https://a.example", "a..example", "a b.c"), [
      "shop.example.com",
      null,
      null,
      null,
      null
    ])
  })
})
