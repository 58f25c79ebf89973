import { Effect, Schema, SchemaParser, Struct } from "effect"
import { boundedArray } from "../json/Bounded.ts"
import { canonical } from "../json/Json.ts"
import { truncateIssues } from "../Limits.ts"
import { formatInteger } from "../Text.ts"
import { isUuid, Uuid } from "../Uuid.ts"
import { Bool, field, HttpUrl, nullable, Slug, text, Timestamp, trimmed, Version } from "./Fields.ts"
import { ProductId } from "./Product.ts"
import { Rules, StoredRules } from "./Rule.ts"

export const CollectionId = Uuid.pipe(Schema.brand("CollectionId"), Schema.annotate({ identifier: "CollectionId" }))
export type CollectionId = typeof CollectionId.Type

/** Maximum number of products in a manual collection. */
export const MAX_MEMBERS = 10_000

const CollectionType = Schema.Literals(["manual", "automated"]).annotate({
  message: "must be manual or automated"
})

const areProductIds = (input: unknown): input is ReadonlyArray<ProductId> =>
  Array.isArray(input) && input.every((id) => typeof id === "string" && isUuid(id))

/**
 * Product ids as sent. A collection stores each id once, in this order. The maximum depends on the type of the
 * collection: an automated one may match any number of products, and clients may send it back unchanged.
 *
 * Lists with ids in stored form are accepted by a fast check. Others are decoded item by item, which takes twenty times
 * as long: 10,000 ids would block other requests for about 20 ms.
 */
export const ProductIds = Schema.declareConstructor<ReadonlyArray<ProductId>, ReadonlyArray<string>>()(
  [boundedArray(ProductId).annotate({ message: "must be a list of product ids" })],
  ([each]) => {
    const decode = SchemaParser.decodeUnknownEffect(each)
    return (input, _, options) => (areProductIds(input) ? Effect.succeed(input) : decode(input, options))
  },
  { toCodecJson: () => undefined }
).check(
  Schema.makeFilter(() => true, {
    toJsonSchema: () => ({ type: "array", items: { type: "string", format: "uuid" } }),
    // As in `boundedArray`: lists of operations keep the schema too.
    "~structural": true
  })
)

const RULES = "Rules that select the products of an automated collection. Without rules, no product matches"
const RULES_EXAMPLE = [{ field: "tags", relation: "equals", value: "oak" }]

const headFields = {
  title: field(trimmed(255), "Title, trimmed", "Desks of oak"),
  type: field(CollectionType, "`automated` if rules are given on creation, otherwise `manual`", "automated"),
  description: nullable(text(65_535), "Text or HTML, kept as sent", "Everything with an oak top."),
  imageUrl: nullable(HttpUrl, "Image URL", "https://images.example.com/oak.jpg"),
  isActive: field(Bool, "If true, the collection is visible", true),
  slug: field(Slug, "URL part, unique among collections; derived from the title if absent", "oak-desks"),
  seoTitle: nullable(text(255), "Title for search engines", "Oak desks"),
  metaDescription: nullable(text(1000), "Meta description", "Desks with an oak top."),
  disjunctive: field(Bool, "false: products must satisfy every rule. true: any one rule", false),
  rules: field(Rules, RULES, RULES_EXAMPLE)
}

const productIds = ProductIds.annotate({
  description: `Product ids in order, without duplicates, at most ${formatInteger(MAX_MEMBERS)}. Computed for automated collections and ignored in their requests`,
  examples: [[ProductId.make("019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90")]]
})

/** Fields that clients can set on creation and update (contract, section 2.2; docs/spec/collections.md). */
const editable = { ...headFields, productIds }

/** Stored document of a collection, without its products, which have their own rows or are computed. */
export const CollectionHead = Schema.Struct({
  id: CollectionId,
  version: Version,
  ...headFields,
  rules: field(StoredRules, RULES, RULES_EXAMPLE),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type CollectionHead = typeof CollectionHead.Type

/** Group of products, selected manually or by rules. */
export const Collection = Schema.Struct({
  ...CollectionHead.fields,
  productIds: Schema.Array(ProductId).annotate({
    description: "Current products: for an automated collection, all that match, in ascending order of id"
  }),
  productCount: Schema.Number.pipe(
    Schema.check(Schema.isInt()),
    Schema.check(Schema.isGreaterThanOrEqualTo(0))
  ).annotate({
    description: "Number of products",
    examples: [1]
  })
}).annotate({ identifier: "Collection" })
export type Collection = typeof Collection.Type

/** Fields of a new collection. Only the title is required. */
export const CreateCollection = Schema.Struct({ title: headFields.title })
  .pipe(
    Schema.fieldsAssign(
      Schema.Struct(editable)
        .mapFields(Struct.omit(["title"]))
        .mapFields(Struct.map(Schema.optionalKey)).fields
    )
  )
  .annotate({ identifier: "CreateCollection" })
export type CreateCollection = typeof CreateCollection.Type

/** JSON Merge Patch (RFC 7396) at the top level: null clears a nullable field. */
export const UpdateCollection = Schema.Struct(editable).mapFields(Struct.map(Schema.optionalKey)).annotate({
  identifier: "UpdateCollection"
})
export type UpdateCollection = typeof UpdateCollection.Type

export class CollectionNotFound extends Schema.TaggedError<CollectionNotFound>()("CollectionNotFound", {
  id: CollectionId
}) {
  override get message() {
    return `Collection ${this.id} was not found`
  }
}

export class CollectionLimitReached extends Schema.TaggedError<CollectionLimitReached>()("CollectionLimitReached", {
  limit: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
}) {
  override get message() {
    return `The store's plan allows ${this.limit} collections; delete some or move to a larger plan`
  }
}

export class UnknownProducts extends Schema.TaggedError<UnknownProducts>()("UnknownProducts", {
  unknown: Schema.Array(Schema.Struct({ index: Schema.Int, id: ProductId }))
}) {
  override get message() {
    return "Some productIds are not products of this store"
  }

  get issues() {
    return truncateIssues(
      this.unknown.map(({ id, index }) => `productIds.${index}: ${id} is not a product of this store`)
    )
  }
}

export class TooManyProductIds extends Schema.TaggedError<TooManyProductIds>()("TooManyProductIds", {}) {
  override get message() {
    return "A manual collection cannot contain so many products"
  }

  get issues() {
    return [`productIds: must be a list of at most ${formatInteger(MAX_MEMBERS)} product ids`]
  }
}

export class TooManyMembers extends Schema.TaggedError<TooManyMembers>()("TooManyMembers", { count: Schema.Int }) {
  override get message() {
    return `${this.count} products match, but a manual collection contains at most ${MAX_MEMBERS}; list the productIds to keep`
  }
}

/** Time limit in seconds for applying the rules of one collection to the products of its store. */
export const RULES_SECONDS = 5

/** The rules are valid, but applying them exceeds {@link RULES_SECONDS}. */
export class RulesTooSlow extends Schema.TaggedError<RulesTooSlow>()("RulesTooSlow", {
  /** Null if the collection is not stored yet. */
  collection: Schema.NullOr(CollectionId)
}) {
  override get message() {
    const whose = this.collection === null ? "these rules" : `the rules of the collection ${this.collection}`
    return `Applying ${whose} takes longer than ${RULES_SECONDS} seconds. Use fewer rules, or replace contains by equals or in on tags, vendorName, productType or a category, which are indexed`
  }
}

export interface AssignedToCollection {
  readonly id: CollectionId
  readonly slug: string
  readonly at: Date
}

/** Values of fields that a new collection does not give, and that a collection of an earlier release does not have. */
export const COLLECTION_DEFAULTS = {
  description: null,
  imageUrl: null,
  isActive: true,
  seoTitle: null,
  metaDescription: null,
  disjunctive: false,
  rules: []
} as const satisfies Partial<CollectionHead>

/** Returns the type of a new collection: `automated` if it has rules and no explicit type. */
export const typeOf = ({ rules = [], type }: CreateCollection) => type ?? (rules.length > 0 ? "automated" : "manual")

/** Builds a new collection from the input and the defaults (docs/spec/collections.md). */
export const newCollection = (input: CreateCollection, { at, id, slug }: AssignedToCollection): CollectionHead => ({
  ...COLLECTION_DEFAULTS,
  ...Struct.omit(input, ["productIds"]),
  id,
  version: 1,
  type: typeOf(input),
  slug,
  createdAt: at.toISOString(),
  updatedAt: at.toISOString()
})

/** Applies a patch, without the products. Returns the same object if nothing changes. */
export const patchCollection = (head: CollectionHead, patch: Omit<UpdateCollection, "productIds">): CollectionHead => {
  const next = { ...head, ...patch }
  return canonical(next) === canonical(head) ? head : next
}

/** Returns the collection with the next version number. */
export const withNextVersion = (head: CollectionHead, at: Date): CollectionHead => ({
  ...head,
  version: head.version + 1,
  updatedAt: at.toISOString()
})
