import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { shown } from "../../data/RandomRules.ts"
import { NAMES } from "../../data/RuleTable.ts"
import { ApiTest, dataOf, makeStore } from "../../support/http/Api.ts"
import { makeClientRotation } from "../../support/http/ClientRotation.ts"

/** Products with few values in common. Omitted fields are absent or have their default. */
const PRODUCTS = {
  desk: {
    name: "Walnut Desk",
    description: "Solid WALNUT, oiled",
    vendorName: "Möbel & Söhne",
    productType: "Desk",
    category: "Furniture",
    categoryId: "F-1",
    categoryName: "Desks",
    sku: "DESK-160",
    barcode: "4006381333931",
    countryOfOrigin: "PT",
    tags: ["Oak", "Office Chair"],
    price: 249.5,
    discountedPrice: 199,
    costPrice: 120.75,
    stock: 12,
    weight: 31.4
  },
  cafe: {
    name: "ÉCOLE 100% Café_Œuvre",
    vendorName: "ΟΔΟΣ ΕΡΜΟΥ",
    productType: "école",
    tags: ["50%_off", "ΟΔΟΣ"],
    price: 0,
    stock: 0,
    isActive: false,
    taxable: false
  },
  shirt: {
    name: "Shirt",
    description: "",
    productKind: "Digital",
    currencyCode: "usd",
    price: 20,
    trackInventory: false,
    variants: [
      { title: "Small / Blau", sku: "S-BL", barcode: "111", price: 19.99, stock: 0 },
      { title: "LARGE / rot", sku: "L-RO", price: 24.5, stock: 5 },
      { title: "Äußerst groß" }
    ]
  },
  odd: { name: "back\\slash 'quote' \"x\"", slug: "odd-one", price: 5, stock: 3 }
} as const

type Name = keyof typeof PRODUCTS
const ALL: ReadonlyArray<Name> = ["desk", "cafe", "shirt", "odd"]
const allExcept = (...names: ReadonlyArray<Name>) => ALL.filter((name) => !names.includes(name))

type Case = readonly [field: string, relation: string, value: unknown, matches: ReadonlyArray<Name>]

const TEXT: ReadonlyArray<Case> = [
  ["title", "equals", "WALNUT desk", ["desk"]],
  ["title", "equals", "walnut", []],
  ["name", "not_equals", "walnut desk", allExcept("desk")],
  ["title", "contains", "NUT d", ["desk"]],
  ["title", "contains", "", ALL],
  ["title", "not_contains", "s", ["cafe"]],
  ["title", "starts_with", "éco", ["cafe"]],
  ["title", "starts_with", "ecole", []],
  ["title", "ends_with", "CAFÉ_ŒUVRE", ["cafe"]],
  ["title", "contains", "100% c", ["cafe"]],
  ["title", "contains", "%", ["cafe"]],
  ["title", "contains", "_", ["cafe"]],
  ["title", "contains", "\\", ["odd"]],
  ["title", "ends_with", '"X"', ["odd"]],
  ["title", "contains", "'", ["odd"]],
  ["title", "in", ["SHIRT", "walnut desk", "no"], ["desk", "shirt"]],
  ["title", "not_in", ["SHIRT", "walnut desk", "no"], ["cafe", "odd"]],
  ["title", "is_set", null, ALL],
  ["description", "contains", "walnut", ["desk"]],
  ["description", "not_contains", "walnut", allExcept("desk")],
  ["description", "is_set", null, ["desk", "shirt"]],
  ["description", "is_not_set", null, ["cafe", "odd"]],
  ["description", "equals", "", ["shirt"]],
  ["description", "contains", "", ["desk", "shirt"]],
  ["description", "not_equals", "", allExcept("shirt")],
  ["slug", "equals", "ODD-one", ["odd"]],
  ["slug", "starts_with", "walnut-", ["desk"]],
  ["vendor", "equals", "MÖBEL & SÖHNE", ["desk"]],
  ["vendor", "equals", "Mobel & Sohne", []],
  ["vendorName", "starts_with", "οδος", ["cafe"]],
  ["vendorName", "contains", "ΟΔΟ", ["cafe"]],
  ["vendorName", "is_set", null, ["desk", "cafe"]],
  ["vendorName", "not_equals", "möbel & söhne", allExcept("desk")],
  ["vendorName", "not_in", ["möbel & söhne", "x"], allExcept("desk")],
  ["vendorName", "is_not_set", null, ["shirt", "odd"]],
  ["type", "equals", "ÉCOLE", ["cafe"]],
  ["productType", "in", ["DESK", "École"], ["desk", "cafe"]],
  ["productKind", "equals", "digital", ["shirt"]],
  ["productKind", "equals", "physical", allExcept("shirt")],
  ["category", "equals", "FURNITURE", ["desk"]],
  ["category", "in", ["x", "furniture"], ["desk"]],
  ["category", "ends_with", "ure", ["desk"]],
  ["categoryId", "equals", "f-1", ["desk"]],
  ["categoryName", "not_equals", "desks", allExcept("desk")],
  ["sku", "starts_with", "desk-", ["desk"]],
  ["barcode", "equals", "4006381333931", ["desk"]],
  ["currencyCode", "equals", "usd", ["shirt"]],
  ["currencyCode", "equals", "EUR", allExcept("shirt")],
  ["countryOfOrigin", "in", ["pt", "es"], ["desk"]]
]

const LISTS: ReadonlyArray<Case> = [
  ["tags", "equals", "OAK", ["desk"]],
  ["tag", "equals", "office chair", ["desk"]],
  ["tags", "equals", "chair", []],
  ["tags", "not_equals", "oak", allExcept("desk")],
  ["tags", "contains", "chair", ["desk"]],
  ["tags", "contains", "50%_", ["cafe"]],
  ["tags", "contains", "o", ["desk", "cafe"]],
  ["tags", "not_contains", "chair", allExcept("desk")],
  ["tags", "starts_with", "OFF", ["desk"]],
  ["tags", "ends_with", "οδος", ["cafe"]],
  ["tags", "in", ["οδος", "oak"], ["desk", "cafe"]],
  ["tags", "not_in", ["οδος", "x"], allExcept("cafe")],
  ["tags", "is_set", null, ["desk", "cafe"]],
  ["tags", "is_not_set", null, ["shirt", "odd"]],
  ["variant.title", "equals", "small / blau", ["shirt"]],
  ["variant.title", "ends_with", "GROß", ["shirt"]],
  ["variant.title", "not_contains", "rot", allExcept("shirt")],
  ["variant.sku", "in", ["l-ro"], ["shirt"]],
  ["variant.sku", "is_not_set", null, allExcept("shirt")],
  ["variant.barcode", "starts_with", "11", ["shirt"]],
  ["variant.barcode", "not_equals", "222", ALL],
  ["variant.price", "greater_than", 20, ["shirt"]],
  ["variant.price", "less_than", 20, ["shirt"]],
  ["variant.price", "equals", 20, []],
  ["variant.price", "not_equals", "19.990", allExcept("shirt")],
  ["variant.stock", "greater_or_equal", 5, ["shirt"]],
  ["variant.stock", "greater_than", 5, []],
  ["variant.stock", "equals", 0, ["shirt"]],
  ["variant.stock", "is_set", null, ["shirt"]],
  ["variant.stock", "not_in", [0, 1], allExcept("shirt")]
]

const NUMBERS: ReadonlyArray<Case> = [
  ["price", "equals", 249.5, ["desk"]],
  ["price", "equals", " 249.50 ", ["desk"]],
  ["price", "equals", "+0249.5", ["desk"]],
  ["price", "not_equals", 249.5, allExcept("desk")],
  ["price", "greater_than", 20, ["desk"]],
  ["price", "greater_or_equal", 20, ["desk", "shirt"]],
  ["price", "less_than", "5", ["cafe"]],
  ["price", "less_or_equal", 5, ["cafe", "odd"]],
  ["price", "greater_than", -1, ALL],
  ["price", "less_than", -0.5, []],
  ["price", "in", [5, "20.0", 7], ["shirt", "odd"]],
  ["price", "not_in", [5, "20.0", 7], ["desk", "cafe"]],
  ["price", "is_set", null, ALL],
  ["discountedPrice", "less_than", 200, ["desk"]],
  ["discountedPrice", "is_not_set", null, allExcept("desk")],
  ["costPrice", "greater_than", 0, ["desk"]],
  ["costPrice", "not_equals", 120.75, allExcept("desk")],
  ["inventory", "less_or_equal", 3, allExcept("desk")],
  ["stock", "equals", 12, ["desk"]],
  ["weight", "equals", 31.4, ["desk"]],
  ["weight", "less_than", 1000, ["desk"]],
  ["weight", "not_in", [31.4], allExcept("desk")],
  ["weight", "not_equals", 1, ALL]
]

const BOOLEANS: ReadonlyArray<Case> = [
  ["isActive", "equals", true, allExcept("cafe")],
  ["isActive", "not_equals", true, ["cafe"]],
  ["isActive", "equals", false, ["cafe"]],
  ["onSale", "equals", true, ["desk"]],
  ["onSale", "not_equals", true, allExcept("desk")],
  ["taxable", "equals", false, ["cafe"]],
  ["trackInventory", "not_equals", false, allExcept("shirt")]
]

const withMoreDigits = (time: string, digits: string) => time.replace(/\.\d{3}/, `$&${digits}`)

/** Cases for the time of the second of four products, which are created in order, in several notations. */
const timesOf = (at: string): ReadonlyArray<Case> =>
  ["createdAt", "updatedAt"].flatMap((field): ReadonlyArray<Case> => [
    [field, "equals", at, ["cafe"]],
    [field, "equals", shown(at, 5), ["cafe"]],
    [field, "not_equals", shown(at, -8), allExcept("cafe")],
    [field, "less_than", at, ["desk"]],
    [field, "less_or_equal", shown(at, 14), ["desk", "cafe"]],
    [field, "greater_than", shown(at, -12), ["shirt", "odd"]],
    [field, "greater_or_equal", at.toLowerCase(), allExcept("desk")],
    [field, "less_than", withMoreDigits(at, "0001"), ["desk", "cafe"]],
    [field, "greater_or_equal", withMoreDigits(shown(at, 3), "0001"), ["shirt", "odd"]],
    [field, "equals", withMoreDigits(at, "0001"), []],
    [field, "equals", withMoreDigits(shown(at, -3), "000"), ["cafe"]],
    [field, "not_in", [withMoreDigits(at, "0001"), withMoreDigits(at, "9".repeat(40))], ALL],
    [field, "in", [shown(at, 1), "1999-12-31T23:59:59Z"], ["cafe"]],
    [field, "not_in", [at], allExcept("cafe")],
    [field, "is_set", null, ALL],
    [field, "is_not_set", null, []],
    [field, "greater_than", "2000-01-01T00:00:00+00:00", ALL],
    [field, "greater_than", "2016-12-31T23:59:60.5Z", ALL],
    [field, "less_than", "2017-01-01T08:59:60+09:00", []]
  ])

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Collection rules", (it) => {
  it.effect("each relation of each field matches exactly the expected products", () =>
    Effect.gen(function* () {
      const client = yield* makeClientRotation(yield* makeStore(), 3)
      const products = yield* Effect.forEach(ALL, (name) =>
        Effect.map(client(0).post("/products", PRODUCTS[name]), dataOf)
      )
      const names = new Map(products.map(({ id }, index) => [id, ALL[index]] as const))
      const cases = [...TEXT, ...LISTS, ...NUMBERS, ...BOOLEANS, ...timesOf(String(products[1]?.["createdAt"]))]
      assert.sameMembers(
        [...new Set(cases.map(([field]) => field))],
        NAMES.map(({ name }) => name)
      )
      for (const [index, [field, relation, value, expected]] of cases.entries()) {
        const rule = { field, relation, value }
        const created = yield* client(index).post("/collections", {
          title: "Rule",
          slug: `rule-${index}`,
          rules: [rule]
        })
        assert.strictEqual(created.status, 201, created.text)
        const { productIds } = dataOf(created)
        assert.isArray(productIds)
        const matches = Array.isArray(productIds) ? productIds.map((id) => names.get(id)) : []
        assert.deepStrictEqual(matches, [...expected], JSON.stringify(rule))
      }
    })
  )
})
