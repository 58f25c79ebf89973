import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, Struct } from "effect"
import { CollectionHead } from "../../src/domain/catalog/Collection.ts"
import { ProductId } from "../../src/domain/catalog/Product.ts"
import { FIELDS, RELATIONS, Rule } from "../../src/domain/catalog/Rule.ts"
import { ExactNumber, parse } from "../../src/domain/json/Json.ts"
import { indexAfterKey, membershipDiff, moveItem } from "../../src/web/dashboard/collections/listOrder.ts"
import {
  changesMatches,
  collectionOf,
  type Draft,
  draftOf,
  newDraft,
  patchOf
} from "../../src/web/dashboard/collections/collectionDraft.ts"
import {
  newRule,
  type RuleDraft,
  ruleDraft,
  ruleOf,
  withField,
  withRelation,
  withText
} from "../../src/web/dashboard/collections/rules/ruleDraft.ts"
import { productValueText, ruleSentence } from "../../src/web/dashboard/collections/rules/ruleSentence.ts"
import { indexWhileDragging } from "../../src/web/dashboard/collections/useDragReorder.ts"
import { dateInputValue, parseDateSearch, searchSinceDate } from "../../src/web/dashboard/records/dateSearch.ts"
import { differences, merge } from "../../src/web/data/merge.ts"
import { addressLines } from "../../src/web/dashboard/records/AddressText.tsx"

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

/** What a rule with this in its fields compares with. */
const value = (part: Partial<RuleDraft>) => ruleOf(ruleWith(part)).value

describe("the form of a collection", () => {
  it("sends what differs from what it began with, and nothing where nothing does", () => {
    const base = draftOf(collection)
    assert.deepStrictEqual(patchOf(base, draftOf(collection)), Result.succeed({}))
    const typed = { ...base, description: "What is of oak", seoTitle: "Oak", isActive: false }
    assert.deepStrictEqual(
      patchOf(base, typed),
      Result.succeed({ description: "What is of oak", seoTitle: "Oak", isActive: false })
    )
    assert.deepStrictEqual(patchOf(typed, base), Result.succeed({ description: null, seoTitle: null, isActive: true }))
  })

  it("makes a collection of what was said, and leaves the slug to be made", () => {
    assert.deepStrictEqual(
      collectionOf({ ...newDraft, title: " Oak ", rules: [ruleDraft(OAK, "0")], type: "automated" }),
      Result.succeed({ title: "Oak", type: "automated", rules: [OAK] })
    )
  })

  it("says what is wrong by where it is", () => {
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
    assert.strictEqual(problems.get("rules.1.value"), "must be a number or numeric text")
  })

  it("tells which changes change what an automated collection holds", () => {
    const draft = draftOf(collection)
    assert.isTrue(changesMatches({ rules: [] }, draft))
    assert.isTrue(changesMatches({ disjunctive: true }, draft))
    assert.isFalse(changesMatches({ title: "Oak" }, draft))
    assert.isFalse(changesMatches({ type: "manual" }, { ...draft, type: "manual" }))
  })
})

describe("the form of a rule", () => {
  it("leaves a rule that nobody touches as it is saved, its alias, its case and its digits", () => {
    const price = new ExactNumber("0.1234567890123456789")
    const exact = toRule({ field: "price", relation: "equals", value: price })
    for (const rule of [OAK, exact]) assert.strictEqual(ruleOf(ruleDraft(rule, "0")), rule)
    assert.deepStrictEqual(ruleOf(withRelation(ruleDraft(exact, "0"), "less_than")), {
      field: "price",
      relation: "less_than",
      value: price
    })
  })

  it("reads what is typed as its field asks, numbers with all of their digits", () => {
    assert.strictEqual(value({ field: "price", relation: "less_than", text: " 12.50 " }), 12.5)
    assert.deepStrictEqual(
      value({ field: "price", relation: "less_than", text: "0.1234567890123456789" }),
      parse("0.1234567890123456789")
    )
    assert.strictEqual(value({ field: "isActive", text: "true" }), true)
    assert.deepStrictEqual(value({ field: "stock", relation: "in", text: "1\n\n 2 \n" }), [1, 2])
    assert.deepStrictEqual(value({ field: "tags", relation: "not_in", text: "oak, dark\npine" }), ["oak, dark", "pine"])
    assert.isUndefined(value({ field: "sku", relation: "is_set", text: "left over" }))
    const created = value({ field: "createdAt", relation: "less_than", text: "2026-01-31T09:30" })
    assert.strictEqual(created, new Date("2026-01-31T09:30").toISOString())
  })

  it("makes a rule that the domain takes of every field and relation", () => {
    const texts = { text: "oak", number: "1", boolean: "true", time: "2026-01-31T09:30" } as const
    for (const field of Struct.keys(FIELDS)) {
      const { kind } = FIELDS[field]
      for (const relation of RELATIONS[kind]) {
        const isMany = relation === "in" || relation === "not_in"
        const text = kind === "time" && isMany ? "2026-01-31T09:30:00Z" : texts[kind]
        const rule = toRule({ ...ruleOf(ruleWith({ field, relation, text })) })
        assert.notInclude(ruleSentence(rule), "undefined")
        assert.deepStrictEqual(ruleOf(withText(ruleDraft(rule, "0"), ruleDraft(rule, "0").text)), rule)
      }
    }
  })

  it("keeps what was typed when it asks for another field, where that takes it", () => {
    const typed = ruleWith({ field: "title", relation: "contains", text: "oak" })
    assert.deepInclude(withField(typed, "description"), { relation: "contains", text: "oak" })
    assert.deepInclude(withField(typed, "price"), { relation: "equals", text: "oak" })
    assert.deepInclude(withField(typed, "isActive"), { relation: "equals", text: "true" })
  })

  it("is told in words", () => {
    assert.strictEqual(ruleSentence(OAK), "Tag is “Oak”")
    assert.strictEqual(ruleSentence({ field: "price", relation: "in", value: [1200, 5] }), "Price is one of 1,200, 5")
    assert.strictEqual(ruleSentence({ field: "sku", relation: "is_not_set" }), "SKU has no value")
    assert.strictEqual(productValueText(OAK, ["oak", "office"]), "“oak”, “office”")
    assert.strictEqual(productValueText(OAK, []), "none")
    assert.strictEqual(productValueText({ field: "onSale", relation: "equals" }, false), "no")
  })
})

describe("what was typed beside what was saved meanwhile", () => {
  const base = { title: "Oak", slug: "oak", tags: ["a"], size: 1 }

  it("takes what they alone changed, keeps what was typed, and names what both changed otherwise", () => {
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

describe("an order by hand", () => {
  const items = ["a", "b", "c", "d"]

  it("moves one, and never beyond the ends", () => {
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

  it("shows while it is dragged what it becomes when it is dropped", () => {
    for (const from of items.keys()) {
      for (const to of items.keys()) {
        const shown: Array<string> = []
        for (const [index, item] of items.entries()) shown[indexWhileDragging({ from, to }, index)] = item
        assert.deepStrictEqual(shown, [...moveItem(items, from, to)])
      }
    }
  })

  it("tells who enters and who leaves", () => {
    assert.deepStrictEqual(membershipDiff(["a", "b"], ["b", "c"]), { added: ["c"], removed: ["a"] })
  })
})

describe("records", () => {
  it("are listed since a time of the address, if it is one", () => {
    assert.deepStrictEqual(parseDateSearch({ since: "2026-01-31T09:30:00+01:00" }), {
      since: "2026-01-31T08:30:00.000Z"
    })
    assert.deepStrictEqual(parseDateSearch({ since: "yesterday" }), {})
    assert.deepStrictEqual(parseDateSearch({}), {})
    assert.strictEqual(dateInputValue(searchSinceDate("2026-01-31")), "2026-01-31")
    assert.deepStrictEqual(searchSinceDate(""), {})
  })

  it("show an address as it stands on a parcel", () => {
    const address = {
      name: "Ada Example",
      line1: "1 Example Street",
      line2: null,
      postalCode: "4000-001",
      city: "Porto"
    }
    assert.deepStrictEqual(addressLines({ ...address, door: 3 }), ["Ada Example", "1 Example Street", "4000-001 Porto"])
  })
})
