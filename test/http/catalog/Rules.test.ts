import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { shown } from "../../data/RandomRules.ts"
import { NAMES } from "../../data/RuleTable.ts"
import { ApiTest, dataOf, makeStore } from "../../support/http/Api.ts"
import { crowd } from "../../support/http/ClientRotation.ts"

/** Each with little that the others have; what is not named is missing or has its default. */
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
const everybody: ReadonlyArray<Name> = ["desk", "cafe", "shirt", "odd"]
const but = (...names: ReadonlyArray<Name>) => everybody.filter((name) => !names.includes(name))

type Case = readonly [field: string, relation: string, value: unknown, holds: ReadonlyArray<Name>]

const TEXT: ReadonlyArray<Case> = [
  ["title", "equals", "WALNUT desk", ["desk"]],
  ["title", "equals", "walnut", []],
  ["name", "not_equals", "walnut desk", but("desk")],
  ["title", "contains", "NUT d", ["desk"]],
  ["title", "contains", "", everybody],
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
  ["title", "is_set", null, everybody],
  ["description", "contains", "walnut", ["desk"]],
  ["description", "not_contains", "walnut", but("desk")],
  ["description", "is_set", null, ["desk", "shirt"]],
  ["description", "is_not_set", null, ["cafe", "odd"]],
  ["description", "equals", "", ["shirt"]],
  ["description", "contains", "", ["desk", "shirt"]],
  ["description", "not_equals", "", but("shirt")],
  ["slug", "equals", "ODD-one", ["odd"]],
  ["slug", "starts_with", "walnut-", ["desk"]],
  ["vendor", "equals", "MÖBEL & SÖHNE", ["desk"]],
  ["vendor", "equals", "Mobel & Sohne", []],
  ["vendorName", "starts_with", "οδος", ["cafe"]],
  ["vendorName", "contains", "ΟΔΟ", ["cafe"]],
  ["vendorName", "is_set", null, ["desk", "cafe"]],
  ["vendorName", "not_equals", "möbel & söhne", but("desk")],
  ["vendorName", "not_in", ["möbel & söhne", "x"], but("desk")],
  ["vendorName", "is_not_set", null, ["shirt", "odd"]],
  ["type", "equals", "ÉCOLE", ["cafe"]],
  ["productType", "in", ["DESK", "École"], ["desk", "cafe"]],
  ["productKind", "equals", "digital", ["shirt"]],
  ["productKind", "equals", "physical", but("shirt")],
  ["category", "equals", "FURNITURE", ["desk"]],
  ["category", "in", ["x", "furniture"], ["desk"]],
  ["category", "ends_with", "ure", ["desk"]],
  ["categoryId", "equals", "f-1", ["desk"]],
  ["categoryName", "not_equals", "desks", but("desk")],
  ["sku", "starts_with", "desk-", ["desk"]],
  ["barcode", "equals", "4006381333931", ["desk"]],
  ["currencyCode", "equals", "usd", ["shirt"]],
  ["currencyCode", "equals", "EUR", but("shirt")],
  ["countryOfOrigin", "in", ["pt", "es"], ["desk"]]
]

const LISTS: ReadonlyArray<Case> = [
  ["tags", "equals", "OAK", ["desk"]],
  ["tag", "equals", "office chair", ["desk"]],
  ["tags", "equals", "chair", []],
  ["tags", "not_equals", "oak", but("desk")],
  ["tags", "contains", "chair", ["desk"]],
  ["tags", "contains", "50%_", ["cafe"]],
  ["tags", "contains", "o", ["desk", "cafe"]],
  ["tags", "not_contains", "chair", but("desk")],
  ["tags", "starts_with", "OFF", ["desk"]],
  ["tags", "ends_with", "οδος", ["cafe"]],
  ["tags", "in", ["οδος", "oak"], ["desk", "cafe"]],
  ["tags", "not_in", ["οδος", "x"], but("cafe")],
  ["tags", "is_set", null, ["desk", "cafe"]],
  ["tags", "is_not_set", null, ["shirt", "odd"]],
  ["variant.title", "equals", "small / blau", ["shirt"]],
  ["variant.title", "ends_with", "GROß", ["shirt"]],
  ["variant.title", "not_contains", "rot", but("shirt")],
  ["variant.sku", "in", ["l-ro"], ["shirt"]],
  ["variant.sku", "is_not_set", null, but("shirt")],
  ["variant.barcode", "starts_with", "11", ["shirt"]],
  ["variant.barcode", "not_equals", "222", everybody],
  ["variant.price", "greater_than", 20, ["shirt"]],
  ["variant.price", "less_than", 20, ["shirt"]],
  ["variant.price", "equals", 20, []],
  ["variant.price", "not_equals", "19.990", but("shirt")],
  ["variant.stock", "greater_or_equal", 5, ["shirt"]],
  ["variant.stock", "greater_than", 5, []],
  ["variant.stock", "equals", 0, ["shirt"]],
  ["variant.stock", "is_set", null, ["shirt"]],
  ["variant.stock", "not_in", [0, 1], but("shirt")]
]

const NUMBERS: ReadonlyArray<Case> = [
  ["price", "equals", 249.5, ["desk"]],
  ["price", "equals", " 249.50 ", ["desk"]],
  ["price", "equals", "0249.5", ["desk"]],
  ["price", "not_equals", 249.5, but("desk")],
  ["price", "greater_than", 20, ["desk"]],
  ["price", "greater_or_equal", 20, ["desk", "shirt"]],
  ["price", "less_than", "5", ["cafe"]],
  ["price", "less_or_equal", 5, ["cafe", "odd"]],
  ["price", "greater_than", -1, everybody],
  ["price", "less_than", -0.5, []],
  ["price", "in", [5, "20.0", 7], ["shirt", "odd"]],
  ["price", "not_in", [5, "20.0", 7], ["desk", "cafe"]],
  ["price", "is_set", null, everybody],
  ["discountedPrice", "less_than", 200, ["desk"]],
  ["discountedPrice", "is_not_set", null, but("desk")],
  ["costPrice", "greater_than", 0, ["desk"]],
  ["costPrice", "not_equals", 120.75, but("desk")],
  ["inventory", "less_or_equal", 3, but("desk")],
  ["stock", "equals", 12, ["desk"]],
  ["weight", "equals", 31.4, ["desk"]],
  ["weight", "less_than", 1000, ["desk"]],
  ["weight", "not_in", [31.4], but("desk")],
  ["weight", "not_equals", 1, everybody]
]

const BOOLEANS: ReadonlyArray<Case> = [
  ["isActive", "equals", true, but("cafe")],
  ["isActive", "not_equals", true, ["cafe"]],
  ["isActive", "equals", false, ["cafe"]],
  ["onSale", "equals", true, ["desk"]],
  ["onSale", "not_equals", true, but("desk")],
  ["taxable", "equals", false, ["cafe"]],
  ["trackInventory", "not_equals", false, but("shirt")]
]

const finer = (time: string, digits: string) => time.replace(/\.\d{3}/, `$&${digits}`)

/** The second of four products made one after the other, asked for by its time in several spellings. */
const timesOf = (at: string): ReadonlyArray<Case> =>
  ["createdAt", "updatedAt"].flatMap((field): ReadonlyArray<Case> => [
    [field, "equals", at, ["cafe"]],
    [field, "equals", shown(at, 5), ["cafe"]],
    [field, "not_equals", shown(at, -8), but("cafe")],
    [field, "less_than", at, ["desk"]],
    [field, "less_or_equal", shown(at, 14), ["desk", "cafe"]],
    [field, "greater_than", shown(at, -12), ["shirt", "odd"]],
    [field, "greater_or_equal", at.toLowerCase(), but("desk")],
    [field, "less_than", finer(at, "0001"), ["desk", "cafe"]],
    [field, "greater_or_equal", finer(shown(at, 3), "0001"), ["shirt", "odd"]],
    [field, "equals", finer(at, "0001"), []],
    [field, "equals", finer(shown(at, -3), "000"), ["cafe"]],
    [field, "not_in", [finer(at, "0001"), finer(at, "9".repeat(40))], everybody],
    [field, "in", [shown(at, 1), "1999-12-31T23:59:59Z"], ["cafe"]],
    [field, "not_in", [at], but("cafe")],
    [field, "is_set", null, everybody],
    [field, "is_not_set", null, []],
    [field, "greater_than", "2000-01-01T00:00:00+00:00", everybody]
  ])

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A rule over the API", (it) => {
  it.effect("holds for exactly the products of which its words are true", () =>
    Effect.gen(function* () {
      const client = yield* crowd(yield* makeStore(), 3)
      const made = yield* Effect.forEach(everybody, (name) =>
        Effect.map(client(0).post("/products", PRODUCTS[name]), dataOf)
      )
      const names = new Map(made.map(({ id }, index) => [id, everybody[index]] as const))
      const cases = [...TEXT, ...LISTS, ...NUMBERS, ...BOOLEANS, ...timesOf(String(made[1]?.["createdAt"]))]
      assert.sameMembers(
        [...new Set(cases.map(([field]) => field))],
        NAMES.map(({ name }) => name)
      )
      for (const [index, [field, relation, value, holds]] of cases.entries()) {
        const rule = { field, relation, value }
        const created = yield* client(index).post("/collections", {
          title: "Rule",
          slug: `rule-${index}`,
          rules: [rule]
        })
        assert.strictEqual(created.status, 201, created.text)
        const { productIds } = dataOf(created)
        assert.isArray(productIds)
        const found = Array.isArray(productIds) ? productIds.map((id) => names.get(id)) : []
        assert.deepStrictEqual(found, [...holds], JSON.stringify(rule))
      }
    })
  )
})
