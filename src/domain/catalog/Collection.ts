import { Effect, Schema, SchemaParser, Struct } from "effect"
import { listOf } from "../Bounded.ts"
import { canonical } from "../Json.ts"
import { listed } from "../Limits.ts"
import { grouped } from "../Text.ts"
import { isUuid, Uuid } from "../Uuid.ts"
import { Bool, documented, field, HttpUrl, nullable, Slug, text, Timestamp, trimmed, Version } from "./Fields.ts"
import { ProductId } from "./Product.ts"
import { Rules } from "./Rule.ts"

export const CollectionId = Uuid.pipe(Schema.brand("CollectionId"), Schema.annotate({ identifier: "CollectionId" }))
export type CollectionId = typeof CollectionId.Type

/** Products that a manual collection may hold. */
export const MAX_MEMBERS = 10_000

const CollectionType = Schema.Literals(["manual", "automated"]).annotate({
  message: "must be manual or automated"
})

const areProductIds = (given: unknown): given is ReadonlyArray<ProductId> =>
  Array.isArray(given) && given.every((id) => typeof id === "string" && isUuid(id))

/**
 * As sent; a collection keeps each id once, in this order. How many there may be depends on its type: an automated one
 * may match any number, and be sent back as it was read.
 *
 * Ids as the service writes them are looked at and taken. Only where one is written otherwise is each decoded by itself,
 * which takes twenty times as long: 10,000 held up every other request for some 20 ms.
 */
export const ProductIds = Schema.declareConstructor<ReadonlyArray<ProductId>, ReadonlyArray<string>>()(
  [listOf(ProductId).annotate({ message: "must be a list of product ids" })],
  ([each]) => {
    const decode = SchemaParser.decodeUnknownEffect(each)
    return (given, _, options) => (areProductIds(given) ? Effect.succeed(given) : decode(given, options))
  },
  { toCodecJson: () => undefined }
).check(documented({ type: "array", items: { type: "string", format: "uuid" } }))

const own = {
  title: field(trimmed(255), "What the collection is called, trimmed", "Desks of oak"),
  type: field(CollectionType, "`automated` when rules are given on create, else `manual`", "automated"),
  description: nullable(text(65_535), "Text or HTML, kept as sent", "Everything with an oak top."),
  imageUrl: nullable(HttpUrl, "Its picture", "https://images.example.com/oak.jpg"),
  isActive: field(Bool, "Whether it is shown", true),
  slug: field(Slug, "Its part of an address, unique among collections; made from the title when absent", "oak-desks"),
  seoTitle: nullable(text(255), "Title for search engines", "Oak desks"),
  metaDescription: nullable(text(1000), "Meta description", "Desks with an oak top."),
  disjunctive: field(Bool, "false: a product must satisfy every rule. true: any of them", false),
  rules: field(Rules, "What an automated collection holds; no rules match nothing", [
    { field: "tags", relation: "equals", value: "oak" }
  ])
}

const productIds = ProductIds.annotate({
  description: `The products, in order, each once, at most ${grouped(MAX_MEMBERS)}. Computed for automated collections, where a body's are ignored`,
  examples: [[ProductId.make("019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90")]]
})

/** What a client may set on a collection, on create and on update alike (contract, section 2.2; decisions, section 3). */
const editable = { ...own, productIds }

/** What is stored of a collection as its document: all but the products, which have rows of their own or are computed. */
export const CollectionHead = Schema.Struct({
  id: CollectionId,
  version: Version,
  ...own,
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type CollectionHead = typeof CollectionHead.Type

/** A group of products, chosen by hand or by rules. */
export const Collection = Schema.Struct({
  ...CollectionHead.fields,
  productIds: Schema.Array(ProductId).annotate({
    description: "The products it holds at this moment: of an automated collection, all that match, in order of id"
  }),
  productCount: Schema.Number.pipe(
    Schema.check(Schema.isInt()),
    Schema.check(Schema.isGreaterThanOrEqualTo(0))
  ).annotate({
    description: "How many products it holds",
    examples: [1]
  })
}).annotate({ identifier: "Collection" })
export type Collection = typeof Collection.Type

/** What makes a collection: a title, and whichever other fields are known. */
export const CreateCollection = Schema.Struct({ title: own.title })
  .pipe(
    Schema.fieldsAssign(
      Schema.Struct(editable)
        .mapFields(Struct.omit(["title"]))
        .mapFields(Struct.map(Schema.optionalKey)).fields
    )
  )
  .annotate({ identifier: "CreateCollection" })
export type CreateCollection = typeof CreateCollection.Type

/** JSON Merge Patch (RFC 7396) at the top level: null clears a field that may be null. */
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
    return "Some productIds name no product of this store"
  }

  get issues() {
    return listed(this.unknown.map(({ id, index }) => `productIds.${index}: ${id} is no product of this store`))
  }
}

export class TooManyProductIds extends Schema.TaggedError<TooManyProductIds>()("TooManyProductIds", {}) {
  override get message() {
    return "A manual collection cannot hold so many products"
  }

  get issues() {
    return [`productIds: must be a list of at most ${grouped(MAX_MEMBERS)} product ids`]
  }
}

export class TooManyMembers extends Schema.TaggedError<TooManyMembers>()("TooManyMembers", { count: Schema.Int }) {
  override get message() {
    return `${this.count} products match, and a manual collection holds at most ${MAX_MEMBERS}; name the productIds to keep`
  }
}

/** Seconds that the rules of one collection may take to be applied to the products of its store. */
export const RULES_SECONDS = 5

/** Refused to its own store: the rules are legal, and take the database too long. */
export class RulesTooSlow extends Schema.TaggedError<RulesTooSlow>()("RulesTooSlow", {
  /** Null when it is not stored yet. */
  collection: Schema.NullOr(CollectionId)
}) {
  override get message() {
    const whose = this.collection === null ? "these rules" : `the rules of the collection ${this.collection}`
    return `To apply ${whose} takes longer than ${RULES_SECONDS} seconds. Give it fewer rules, or ask for tags, vendorName, productType or a category with equals or in, which an index answers, instead of contains`
  }
}

export interface GivenToCollection {
  readonly id: CollectionId
  readonly slug: string
  readonly at: Date
}

/** What a new collection becomes: `automated` when it comes with rules and says nothing else. */
export const typeOf = ({ rules = [], type }: CreateCollection) => type ?? (rules.length > 0 ? "automated" : "manual")

/** A new collection: what was sent, and the defaults of decisions, section 3. */
export const newCollection = (input: CreateCollection, { at, id, slug }: GivenToCollection): CollectionHead => ({
  id,
  version: 1,
  title: input.title,
  type: typeOf(input),
  description: input.description ?? null,
  imageUrl: input.imageUrl ?? null,
  isActive: input.isActive ?? true,
  slug,
  seoTitle: input.seoTitle ?? null,
  metaDescription: input.metaDescription ?? null,
  disjunctive: input.disjunctive ?? false,
  rules: input.rules ?? [],
  createdAt: at.toISOString(),
  updatedAt: at.toISOString()
})

/** The collection with the patch applied, its products aside: the same object when the patch changes nothing. */
export const patchCollection = (head: CollectionHead, patch: Omit<UpdateCollection, "productIds">): CollectionHead => {
  const next = { ...head, ...patch }
  return canonical(next) === canonical(head) ? head : next
}

/** The next version of a collection. */
export const advance = (head: CollectionHead, at: Date): CollectionHead => ({
  ...head,
  version: head.version + 1,
  updatedAt: at.toISOString()
})
