import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ApiTest, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"
import {
  assertAccepts,
  assertRefuses,
  asSent,
  type Field,
  NOT_WEB,
  notNull,
  nullable,
  times
} from "../../support/http/Fields.ts"

const PAGE = "https://images.example.com/a.jpg"

const opaque: Field = {
  accepts: asSent({}, { a: { b: [1, "x", null, true, [[]]] }, "": 0 }, [], [{}, { a: 1 }]),
  refuses: ["x", 1, true, "", [1], ["x"], [null], [[]], [{}, 1]]
}

const media = (medium: unknown) => [{ url: PAGE }, medium]
const variants = (variant: unknown) => [{}, variant]

const FIELDS: Record<string, Field> = {
  tags: notNull({
    accepts: [
      ...asSent(
        [],
        ["a"],
        times(250, "").map((_, n) => `tag ${n}`),
        ["x".repeat(255), "😀".repeat(255)]
      ),
      [
        [" a ", "b\n"],
        ["a", "b"]
      ],
      [
        ["Oak", "b", "oak", "OAK", "B", "c"],
        ["Oak", "b", "c"]
      ],
      [
        ["Ä", "a", " ä"],
        ["Ä", "a"]
      ]
    ],
    refuses: [
      times(251, "").map((_, n) => `tag ${n}`),
      [""],
      ["  "],
      ["x".repeat(256)],
      [1],
      [null],
      [["a"]],
      "a",
      "",
      {}
    ]
  }),
  media: notNull({
    accepts: asSent(
      [],
      [{ url: PAGE }],
      [{ url: PAGE, type: "image", alt: "", position: 0 }],
      [{ url: PAGE, position: -1, width: 3, focus: { x: 0.5 }, credits: null }],
      times(250, { url: "http://a.example/b" })
    ),
    refuses: [
      times(251, { url: PAGE }),
      [{}],
      ...[...NOT_WEB, 12, null].map((url) => [{ url }]),
      ...[1, null, {}].map((type) => media({ url: PAGE, type })),
      ...[1, null, []].map((alt) => media({ url: PAGE, alt })),
      ...[1.5, "1", null, true].map((position) => media({ url: PAGE, position })),
      [PAGE],
      [null],
      [[]],
      { url: PAGE },
      PAGE
    ]
  }),
  options: notNull({
    accepts: asSent(
      [],
      [{ name: "Width", values: [] }],
      Array.from({ length: 10 }, (_, index) => ({
        name: `Width ${index}`,
        values: ["120", "160"],
        help: { text: "?" }
      }))
    ),
    refuses: [
      Array.from({ length: 11 }, (_, index) => ({ name: `Width ${index}`, values: [] })),
      ...["Width", "width", " Width "].map((name) => [
        { name: "Width", values: ["120"] },
        { name, values: ["160"] }
      ]),
      ...["Red", "red", "Red "].map((value) => [{ name: "Color", values: ["Red", value] }]),
      [{}],
      [{ name: "Width" }],
      [{ values: [] }],
      ...[1, null, []].map((name) => [{ name, values: [] }]),
      ...["120", null, {}, [1], [null], ["120", 160]].map((values) => [{ name: "Width", values }]),
      ["Width"],
      {},
      "Width"
    ]
  }),
  variants: notNull({
    accepts: asSent([]),
    refuses: [
      times(2049, {}),
      ...["price", "discountedPrice", "costPrice", "stock"].flatMap((field) =>
        [-1, -0.01, "12", null, true, 1_000_000_000_000_000].map((value) => variants({ [field]: value }))
      ),
      ...["title", "sku", "barcode"].flatMap((field) =>
        [1, null, true, {}].map((value) => variants({ [field]: value }))
      ),
      ...["", "desk.jpg", 12].map((imageUrl) => variants({ imageUrl })),
      ...["x", 1, null, [], { Width: 160 }, { Width: null }, { Width: ["160"] }].map((options) =>
        variants({ options })
      ),
      ["x"],
      [null],
      [[]],
      {},
      "x"
    ]
  }),
  faqs: notNull({
    accepts: asSent([], [{ question: "", answer: "", rank: 1 }], times(100, { question: "Why?", answer: "Because." })),
    refuses: [
      times(101, { question: "Why?", answer: "Because." }),
      [{}],
      [{ question: "Why?" }],
      [{ answer: "Because." }],
      ...[1, null, []].flatMap((value) => [[{ question: value, answer: "" }], [{ question: "", answer: value }]]),
      ["Why?"],
      {},
      "Why?"
    ]
  }),
  metafields: notNull(opaque),
  customFields: notNull(opaque),
  dimensions: nullable({
    accepts: asSent({}, { length: 0, width: 1.5, height: 999_999_999_999_999, unit: "" }, { depth: "x", a: { b: [] } }),
    refuses: [
      ...["length", "width", "height"].flatMap((field) =>
        [-1, "1", null, true, 1_000_000_000_000_000].map((value) => ({ [field]: value }))
      ),
      ...[1, null, {}].map((unit) => ({ unit })),
      [],
      [{}],
      "1x2x3",
      1,
      true
    ]
  })
}

const variantsOf = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.StructWithRest(Schema.Struct({ id: Schema.String.check(Schema.isUUID()) }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  )
)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Composite product fields", (it) => {
  it.effect.each(Object.entries(FIELDS))("%s accepts valid values on create and update", ([name, field]) =>
    assertAccepts(name, field)
  )

  it.effect.each(Object.entries(FIELDS))("%s rejects invalid values with 400 and changes nothing", ([name, field]) =>
    assertRefuses(name, field)
  )

  it.effect("variants are returned as sent, each with a unique new id", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const sent = [
        {},
        { price: 0, discountedPrice: 0.5, costPrice: 1, stock: 999_999_999_999_999 },
        { title: "", sku: "A", barcode: "1", options: {}, shelf: { row: [4, null] } },
        { title: "160 cm", options: { Width: "160", "": "" } },
        { imageUrl: PAGE },
        { imageUrl: null },
        ...times(2042, { stock: 1 })
      ]
      for (const product of [
        dataOf(yield* client.post("/products", { name: "Desk", variants: sent })),
        dataOf(
          yield* client.patch(`/products/${dataOf(yield* client.post("/products", { name: "D" }))["id"]}`, {
            variants: sent
          })
        )
      ]) {
        const returned = variantsOf(product["variants"])
        assert.deepStrictEqual(
          returned.map(({ id: _, ...rest }) => rest),
          sent
        )
        assert.strictEqual(new Set(returned.map(({ id }) => id)).size, sent.length)
      }
    })
  )

  it.effect.each(["constructor", "toString", "hasOwnProperty", "toJSON", "text", "", "0", "a.b", "é 😀"])(
    "nested objects keep an additional key named %s",
    (key) =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const member = `"${key}":{"n":1}`
        const bodies = [
          `"media":[{"url":"${PAGE}",${member}}]`,
          `"options":[{"name":"a","values":[],${member}}]`,
          `"variants":[{${member}}]`,
          `"variants":[{"options":{"${key}":"a"}}]`,
          `"faqs":[{"question":"a","answer":"b",${member}}]`,
          `"metafields":{${member}}`,
          `"metafields":{"a":[{${member}}]}`,
          `"customFields":[{${member}}]`,
          `"dimensions":{${member}}`
        ]
        const missing: Array<string> = []
        for (const body of bodies) {
          const created = yield* client.post("/products", `{"name":"Cup",${body}}`)
          assert.strictEqual(created.status, 201, created.text)
          const changed = yield* client.patch(`/products/${dataOf(created)["id"]}`, { price: 1 })
          for (const { text } of [created, changed]) if (!text.includes(`"${key}":`)) missing.push(body)
        }
        assert.deepStrictEqual(missing, [])
      })
  )

  it.effect("all invalid fields are listed as issues in the form `path: reason`", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const invalid = {
        name: "",
        price: -1,
        tags: ["a", ""],
        media: [{ url: PAGE }, { url: "x", position: "first" }],
        options: [
          { name: "Size", values: ["S", "s"] },
          { name: "size", values: [] }
        ],
        variants: [{ price: -1, options: { Width: 1 } }, "x"],
        dimensions: { width: -2 },
        isActive: null
      }
      const paths = [
        "name",
        "price",
        "tags.1",
        "media.1.url",
        "media.1.position",
        "options.0.values.1",
        "options.1.name",
        "variants.0.price",
        "variants.0.options.Width",
        "variants.1",
        "dimensions.width",
        "isActive"
      ]
      const refused = yield* client.post("/products", invalid)
      assert.strictEqual(refused.status, 400)
      const lines = errorOf(refused).issues ?? []
      assert.deepStrictEqual(lines.map((line) => line.slice(0, line.indexOf(":"))).toSorted(), paths.toSorted())
      assert.deepStrictEqual(
        lines.filter((line) => !/^[^:\s]+: \S.*$/.test(line)),
        []
      )
    })
  )
})
