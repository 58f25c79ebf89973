import { Effect, Schema } from "effect"
import type { Proposal } from "../../../domain/access/Proposals.ts"
import { isObject, type JsonObject } from "../../../domain/Json.ts"
import type { Rehearsal } from "../../../domain/Rehearsal.ts"
import {
  createCollection,
  createProduct,
  deleteCollection,
  deleteProduct,
  updateCollection,
  updateProduct
} from "../../../rpc/Catalog.ts"
import { type Client, CollectionId, ProductId, type StoreId } from "../../../rpc/Client.ts"
import { changeInventory } from "../../../rpc/Inventory.ts"
import { newIdempotencyKey } from "../../data/queries.ts"
import { requireDryRun } from "../../data/dryRun.ts"
import { nameEntries, type NamedEntry } from "../activity/Entries.ts"

export type Given = typeof Proposal.Type

/** What a proposal would do, in words. */
const VERBS = {
  "products.create": "Create",
  "products.update": "Update",
  "products.delete": "Delete",
  "inventory.change": "Update the stock of",
  "collections.create": "Create the collection",
  "collections.update": "Update the collection",
  "collections.delete": "Delete the collection"
} as const

type Known = keyof typeof VERBS

const isKnown = (procedure: string): procedure is Known => Object.hasOwn(VERBS, procedure)

const nameIn = (side: unknown) => {
  const name = isObject(side) ? (side["name"] ?? side["title"]) : undefined
  return typeof name === "string" ? name : undefined
}

/** What a proposal is called: what it would do, and to what. */
export const titleOf = ({ ground: [first], payload, procedure }: Given, names: ReadonlyMap<string, string>): string => {
  const name = names.get(first?.id ?? "") ?? nameIn(payload["product"]) ?? nameIn(payload["collection"])
  return `${isKnown(procedure) ? VERBS[procedure] : procedure} ${name ?? "a deleted item"}`
}

/** The call that is proposed, rehearsed by who looks at it, with a key of their own. */
const rehearse = ({ collections, inventory, products }: Client, procedure: Known, given: JsonObject) => {
  const decoded = <A, I>(payload: Schema.Codec<A, I>) => Effect.orDie(Schema.decodeUnknownEffect(payload)(given))
  switch (procedure) {
    case "products.create":
      return Effect.flatMap(decoded(createProduct.payloadSchema), (request) => requireDryRun(products.create(request)))
    case "products.update":
      return Effect.flatMap(decoded(updateProduct.payloadSchema), (request) => requireDryRun(products.update(request)))
    case "products.delete":
      return Effect.flatMap(decoded(deleteProduct.payloadSchema), (request) => requireDryRun(products.delete(request)))
    case "inventory.change":
      return Effect.flatMap(decoded(changeInventory.payloadSchema), (request) =>
        requireDryRun(inventory.change(request))
      )
    case "collections.create":
      return Effect.flatMap(decoded(createCollection.payloadSchema), (request) =>
        requireDryRun(collections.create(request))
      )
    case "collections.update":
      return Effect.flatMap(decoded(updateCollection.payloadSchema), (request) =>
        requireDryRun(collections.update(request))
      )
    case "collections.delete":
      return Effect.flatMap(decoded(deleteCollection.payloadSchema), (request) =>
        requireDryRun(collections.delete(request))
      )
  }
}

/** What a proposal is seen as: what it would make of what is there, or what was changed since it was made. */
export type Seen =
  | {
      readonly _tag: "Ready"
      readonly before: JsonObject | null
      /** Null where it would be gone. */
      readonly after: JsonObject | null
      readonly rehearsal: Rehearsal
    }
  | { readonly _tag: "Moved"; readonly changes: ReadonlyArray<NamedEntry> }
  | { readonly _tag: "Unknown" }

const ground = (client: Client, storeId: StoreId, { id, resource }: Given["ground"][number]) =>
  resource === "product"
    ? Effect.catchTag(client.products.get({ storeId, id: ProductId.make(id) }), "ProductNotFound", () =>
        Effect.succeed(null)
      )
    : Effect.catchTag(client.collections.get({ storeId, id: CollectionId.make(id) }), "CollectionNotFound", () =>
        Effect.succeed(null)
      )

/** Entries of one resource that are looked at for what moved. */
const LOOKED_AT = 20

const changesSince = (client: Client, storeId: StoreId, { id, resource, version }: Given["ground"][number]) =>
  Effect.flatMap(client.activity.list({ storeId, resource, resourceId: id, limit: LOOKED_AT }), ({ items }) =>
    nameEntries(
      client,
      storeId,
      items.filter(({ versions }) => versions.after === null || versions.after > version)
    )
  )

const isGone = (resource: object) => "deleted" in resource

/** Looks at what is there now, and tries what is proposed on it where it is as the agent saw it. */
export const see = Effect.fnUntraced(function* (client: Client, storeId: StoreId, proposal: Given) {
  const { payload, procedure } = proposal
  const [based] = proposal.ground
  const before = based === undefined ? null : yield* ground(client, storeId, based)
  if (based !== undefined && before?.version !== based.version) {
    return { _tag: "Moved", changes: yield* changesSince(client, storeId, based) } satisfies Seen
  }
  if (!isKnown(procedure)) return { _tag: "Unknown" } satisfies Seen
  const request = { ...payload, storeId, idempotencyKey: newIdempotencyKey(), dryRun: true }
  const { resource, ...rehearsal } = yield* rehearse(client, procedure, request)
  return { _tag: "Ready", before, after: isGone(resource) ? null : { ...resource }, rehearsal } satisfies Seen
})
