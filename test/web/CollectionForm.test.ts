import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, Struct } from "effect"
import { CollectionHead } from "../../src/domain/catalog/Collection.ts"
import { ProductId } from "../../src/domain/catalog/Product.ts"
import { FIELDS, RELATIONS, Rule } from "../../src/domain/catalog/Rule.ts"
import {
  membershipDiff,
  changesMatches,
  collectionOf,
  type Draft,
  draftOf,
  newDraft,
  patchOf
} from "../../src/web/features/collections/collectionDraft.ts"
import { indexAfterKey, indexWhileDragging, moveItem } from "../../src/web/shared/data/reordering.ts"
import {
  newRule,
  type RuleDraft,
  ruleDraft,
  ruleOf,
  withField,
  withRelation,
  withText,
  productValueText,
  ruleSentence
} from "../../src/web/features/collections/ruleDraft.ts"
import { differences, merge } from "../../src/web/shared/data/differences.ts"
import { addressLines, recipientOf } from "../../src/domain/records/AddressLines.ts"
import { makeDates } from "../../src/web/shared/data/format.ts"

const dates = makeDates()

const toRule = Schema.decodeUnknownSync(Rule)
const toHead = Schema.decodeUnknownSync(CollectionHead)

const ID = "019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90"
const OAK = toRule({ field: "tag", relation: "equals", value: "Oak" })

const collection = {
  ...toHead({
    id: ID,
    version: 4,
    title: "Oak",
    type: "automated",
    description: null,
    imageUrl: null,
    isActive: true,
    slug: "oak",
    seoTitle: null,
    metaDescription: null,
    disjunctive: false,
    rules: [OAK],
    createdAt: "2026-01-31T09:30:00.000Z",
    updatedAt: "2026-01-31T09:30:00.000Z"
  }),
  productIds: [ProductId.make(ID)],
  productCount: 1
}

const ruleWith = (part: Partial<RuleDraft>): RuleDraft => ({ ...newRule(), ...part })

/** The parsed value of a rule with these fields. */
const value = (part: Partial<RuleDraft>) => ruleOf(ruleWith(part)).value

describe("Collection form", () => {
  it("the patch contains only changed fields, and is empty without changes", () => {
    const base = draftOf(collection)
    assert.deepStrictEqual(patchOf(base, draftOf(collection)), Result.succeed({}))
    const typed = { ...base, description: "What is of oak", seoTitle: "Oak", isActive: false }
    assert.deepStrictEqual(
      patchOf(base, typed),
      Result.succeed({ description: "What is of oak", seoTitle: "Oak", isActive: false })
    )
    assert.deepStrictEqual(patchOf(typed, base), Result.succeed({ description: null, seoTitle: null, isActive: true }))
  })

  it("a new collection has only the entered fields; the service generates the slug", () => {
    assert.deepStrictEqual(
      collectionOf({ ...newDraft, title: " Oak ", rules: [ruleDraft(OAK, "0")], type: "automated" }),
      Result.succeed({ title: "Oak", type: "automated", rules: [OAK] })
    )
  })

  it("validation errors are keyed by the path of their field", () => {
    const base = draftOf(collection)
    const [first] = base.rules
    const draft: Draft = {
      ...base,
      title: "",
      slug: "No slug",
      imageUrl: "picture",
      rules: [
        ...(first === undefined ? [] : [first]),
        ruleWith({ field: "price", relation: "less_than", text: "ten" }),
        ruleWith({ field: "title", relation: "contains", text: " " })
      ]
    }
    const problems = Result.match(patchOf(base, draft), { onFailure: (found) => found, onSuccess: () => new Map() })
    assert.sameMembers([...problems.keys()], ["title", "slug", "imageUrl", "rules.1.value", "rules.2.value"])
    assert.strictEqual(problems.get("rules.1.value"), "Write a number, such as 1234.50 or 1,234.50")
  })

  it("an automated collection has a rule", () => {
    const automated = { ...newDraft, title: "Sale", type: "automated" } as const
    assert.deepStrictEqual(
      collectionOf(automated),
      Result.fail(
        new Map([["rules", "Add a rule, or choose the products yourself: set the collection type to manual"]])
      )
    )
  })

  it("only changes of rules or of their combination change the matches of an automated collection", () => {
    const draft = draftOf(collection)
    assert.isTrue(changesMatches({ rules: [] }, draft))
    assert.isTrue(changesMatches({ disjunctive: true }, draft))
    assert.isFalse(changesMatches({ title: "Oak" }, draft))
    assert.isFalse(changesMatches({ type: "manual" }, { ...draft, type: "manual" }))
  })
})

describe("Rule form", () => {
  it("an unedited rule keeps its alias, case and digits", () => {
    const price = 0.12345678901234568
    const exact = toRule({ field: "price", relation: "equals", value: price })
    for (const rule of [OAK, exact]) assert.strictEqual(ruleOf(ruleDraft(rule, "0")), rule)
    assert.deepStrictEqual(ruleOf(withRelation(ruleDraft(exact, "0"), "less_than")), {
      field: "price",
      relation: "less_than",
      value: price
    })
  })

  it("input is parsed by the type of the field, and numbers keep all digits", () => {
    assert.strictEqual(value({ field: "price", relation: "less_than", text: " 12.50 " }), 12.5)
    assert.deepStrictEqual(
      value({ field: "price", relation: "less_than", text: "0.12345678901234568" }),
      0.12345678901234568
    )
    assert.strictEqual(value({ field: "isActive", text: "true" }), true)
    assert.deepStrictEqual(value({ field: "stock", relation: "in", text: "1\n\n 2 \n" }), [1, 2])
    assert.deepStrictEqual(value({ field: "tags", relation: "not_in", text: "oak, dark\npine" }), ["oak, dark", "pine"])
    assert.isUndefined(value({ field: "sku", relation: "is_set", text: "left over" }))
    const created = value({ field: "createdAt", relation: "less_than", text: "2026-01-31T09:30" })
    assert.strictEqual(created, new Date("2026-01-31T09:30").toISOString())
  })

  it("every field and relation produces a rule that the domain accepts", () => {
    const texts = { text: "oak", number: "1", boolean: "true", time: "2026-01-31T09:30" } as const
    for (const field of Struct.keys(FIELDS)) {
      const { kind } = FIELDS[field]
      for (const relation of RELATIONS[kind]) {
        const isMany = relation === "in" || relation === "not_in"
        const text = kind === "time" && isMany ? "2026-01-31T09:30:00Z" : texts[kind]
        const rule = toRule({ ...ruleOf(ruleWith({ field, relation, text })) })
        assert.notInclude(ruleSentence(rule, dates), "undefined")
        assert.deepStrictEqual(ruleOf(withText(ruleDraft(rule, "0"), ruleDraft(rule, "0").text)), rule)
      }
    }
  })

  it("a change of the field keeps the input if the new field accepts it", () => {
    const typed = ruleWith({ field: "title", relation: "contains", text: "oak" })
    assert.deepInclude(withField(typed, "description"), { relation: "contains", text: "oak" })
    assert.deepInclude(withField(typed, "price"), { relation: "equals", text: "oak" })
    assert.deepInclude(withField(typed, "isActive"), { relation: "equals", text: "true" })
  })

  it("rules and product values are formatted as text", () => {
    assert.strictEqual(ruleSentence(OAK, dates), "Tag is “Oak”")
    assert.strictEqual(
      ruleSentence({ field: "price", relation: "in", value: [1200, 5] }, dates),
      "Price is one of 1200, 5"
    )
    assert.strictEqual(ruleSentence({ field: "sku", relation: "is_not_set" }, dates), "SKU has no value")
    assert.strictEqual(productValueText(OAK, ["oak", "office"], dates), "“oak”, “office”")
    assert.strictEqual(productValueText(OAK, [], dates), "none")
    assert.strictEqual(productValueText({ field: "onSale", relation: "equals" }, false, dates), "no")
  })
})

describe("Merge of concurrent edits", () => {
  const base = { title: "Oak", slug: "oak", tags: ["a"], size: 1 }

  it("a merge takes their changes, keeps mine, and reports fields that both changed differently", () => {
    const mine = { ...base, title: "Mine", tags: ["a", "b"], size: 2 }
    const theirs = { ...base, title: "Theirs", slug: "theirs", size: 2 }
    assert.deepStrictEqual(merge(base, mine, theirs), {
      draft: { title: "Mine", slug: "theirs", tags: ["a", "b"], size: 2 },
      changedByThem: ["slug"],
      conflicts: ["title"]
    })
    assert.deepStrictEqual(differences(base, { ...base, tags: ["a"] }), [])
  })
})

describe("Manual order of products", () => {
  const items = ["a", "b", "c", "d"]

  it("an item moves to an index or by key, and never beyond the ends", () => {
    assert.deepStrictEqual(moveItem(items, 0, 2), ["b", "c", "a", "d"])
    assert.deepStrictEqual(moveItem(items, 3, 0), ["d", "a", "b", "c"])
    assert.deepStrictEqual(moveItem(items, 1, 99), ["a", "c", "d", "b"])
    assert.strictEqual(moveItem(items, 1, 1), items)
    assert.strictEqual(moveItem(items, 9, 0), items)
    assert.deepStrictEqual(
      ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", "a"].map((key) => indexAfterKey(key, 12, 14)),
      [11, 13, 2, 13, 0, 13, undefined]
    )
  })

  it("the order shown while dragging is the order after the drop", () => {
    for (const from of items.keys()) {
      for (const to of items.keys()) {
        const shown: Array<string> = []
        for (const [index, item] of items.entries()) shown[indexWhileDragging({ from, to }, index)] = item
        assert.deepStrictEqual(shown, [...moveItem(items, from, to)])
      }
    }
  })

  it("the membership diff has the added and removed products", () => {
    assert.deepStrictEqual(membershipDiff(["a", "b"], ["b", "c"]), { added: ["c"], removed: ["a"] })
  })
})

describe("Pages of records", () => {
  it("an address is formatted as on a parcel, without empty fields, and with all others by their names", () => {
    const address = {
      name: "Ada Example",
      line1: "1 Example Street",
      line2: null,
      postalCode: "4000-001",
      city: "Porto"
    }
    assert.deepStrictEqual(addressLines({ ...address, door: 3, codes: { gate: "4711" }, floor: "" }), [
      "Ada Example",
      "1 Example Street",
      "4000-001 Porto",
      "door: 3",
      'codes: {"gate":"4711"}'
    ])
  })

  it("the names that other shops give to the fields of an address are known, and nothing is shown twice or dropped", () => {
    const address = {
      first_name: "Ada",
      last_name: "Example",
      name: "Ada Example",
      company: null,
      address1: "1 Example Street",
      address2: "Second floor",
      city: "Ottawa",
      zip: "K2P 1L4",
      province: "Ontario",
      province_code: "ON",
      country: "Canada",
      country_code: "CA",
      country_name: "Canada",
      phone: "+1 613 555 0100",
      latitude: 45.41634,
      default: true
    }
    assert.deepStrictEqual(addressLines(address), [
      "Ada Example",
      "1 Example Street",
      "Second floor",
      "K2P 1L4 Ottawa",
      "Ontario",
      "Canada",
      "+1 613 555 0100",
      "province_code: ON",
      "country_code: CA",
      "latitude: 45.41634",
      "default: true"
    ])
    const others = { firstname: "Ada", lastname: "Example", street: "Example Street", house_number: 1, postcode: "1" }
    assert.deepStrictEqual(addressLines({ ...others, state_code: "ON", countryCode: "CA" }), [
      "Ada Example",
      "Example Street 1",
      "1",
      "ON",
      "CA"
    ])
    assert.deepStrictEqual(addressLines({ country_code: "CA", name: "", address: ["1 Example Street", "Flat 2"] }), [
      "1 Example Street, Flat 2",
      "CA"
    ])
    assert.strictEqual(recipientOf({ first_name: "Ada", last_name: "Example" }), "Ada Example")
    assert.isUndefined(recipientOf({ city: "Ottawa" }))
  })
})
