import { Schema } from "effect"
import { InstallationId } from "../../domain/access/Installations.ts"
import { Collection, CollectionHead } from "../../domain/catalog/Collection.ts"
import { withDescription, Timestamp } from "../../domain/catalog/Fields.ts"
import { Product } from "../../domain/catalog/Product.ts"
import { EventId, EventKind, EVENTS, MAX_HOPS } from "../../domain/Events.ts"
import { StoreId } from "../../domain/Store.ts"

/*
 * What apps are sent, for the reference: the `webhooks` of the OpenAPI document. The requests are made by the service,
 * so no endpoint defines them.
 */

const envelope = {
  id: withDescription(
    EventId,
    "The event's id, the same on every attempt: what a receiver tells repeated deliveries by"
  ),
  occurredAt: Timestamp.annotate({ description: "When the write was made" }),
  storeId: withDescription(StoreId, "The store it happened in"),
  actor: Schema.Struct({ type: Schema.Literals(["app", "merchant", "agent"]) }).annotate({
    description: "Who wrote: an app, the merchant, or an AI agent"
  }),
  originInstallationId: Schema.optionalKey(
    withDescription(InstallationId, "The installation that wrote, if one did. It is not told of its own write itself")
  ),
  hops: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: MAX_HOPS }))).annotate({
    description: `Deliveries in a row that led to the write. Send the event's id back as \`X-Service-Event-Id\` when you write because of it; the write after ${MAX_HOPS} hops is refused`
  })
}

const kindOf = <K extends EventKind>(kind: K) => Schema.Literal(kind).annotate({ description: "What happened" })

/** A product was created or changed. */
export const ProductUpdated = Schema.Struct({
  ...envelope,
  kind: kindOf("catalog.product.updated.v1"),
  data: Schema.Struct({ product: Product })
}).annotate({ identifier: "ProductUpdated", description: "A product was created or changed" })

/** A collection was created or changed. */
export const CollectionUpdated = Schema.Struct({
  ...envelope,
  kind: kindOf("catalog.collection.updated.v1"),
  data: Schema.Struct({
    collection: Schema.Struct({
      ...CollectionHead.fields,
      productIds: Schema.optionalKey(
        Collection.fields.productIds.annotate({
          description: "The products of a manual collection. An automated one comes without: read it for its products"
        })
      ),
      productCount: Schema.optionalKey(Collection.fields.productCount)
    })
  })
}).annotate({ identifier: "CollectionUpdated", description: "A collection was created or changed" })

const NAMES = {
  "catalog.product.updated.v1": "ProductUpdated",
  "catalog.collection.updated.v1": "CollectionUpdated"
} as const satisfies Record<EventKind, string>

const text = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

const signed = [
  text("webhook-id", "The event's id (Standard Webhooks)", "019c1363-49c0-7d21-8e4f-3a6b0c9d2f18"),
  text("webhook-timestamp", "When this attempt was made, in Unix seconds", "1790000000"),
  text(
    "webhook-signature",
    "One signature for each live secret, separated by a space: `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, with the base64-decoded part of the secret behind `whsec_` as key",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  ),
  text(
    "X-Service-Event-Id",
    "The event's id, to be sent back with writes that answer it",
    "019c1363-49c0-7d21-8e4f-3a6b0c9d2f18"
  ),
  text("X-Service-Timestamp", "When this attempt was made, in Unix seconds", "1790000000"),
  text(
    "X-Service-Signature",
    "Lower-case hex of HMAC-SHA256 over `<X-Service-Timestamp>.<body>`, with the whole secret as key: for the 24 hours in which a secret is replaced, with the one before",
    "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"
  ),
  {
    name: "X-Service-Signature-Next",
    in: "header",
    required: false,
    description: "There while a secret is replaced: the same as `X-Service-Signature`, with the new secret as key",
    schema: { type: "string" }
  }
]

const description = (kind: EventKind) =>
  `Sent to every active installation of an app that subscribed to \`${kind}\` and has the scope \`${EVENTS[kind].scope}\`, except the one that made the write. Any 2xx within 10 seconds is success; otherwise it is tried again, 14 times in all in about 72 hours, and \`Retry-After\` may lengthen the waits. It may arrive more than once and in any order: \`version\` tells which state is newer.`

const operation = (kind: EventKind, example: unknown) => ({
  post: {
    operationId: NAMES[kind],
    summary: `A ${EVENTS[kind].resource} was created or changed`,
    description: description(kind),
    tags: ["Webhooks"],
    security: [],
    parameters: signed,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${NAMES[kind]}` },
          examples: { Event: { value: example } }
        }
      }
    },
    responses: {
      "2XX": { description: "Received. The body is not looked at" },
      "410": { description: "No longer wanted: the webhook is paused at once" },
      default: { description: "Not received, like no answer in 10 seconds or a redirect: it is sent again later" }
    }
  }
})

/** The request that delivers each kind of event, with an example. */
export const webhooksOf = (examples: Readonly<Record<EventKind, unknown>>) =>
  Object.fromEntries(EventKind.literals.map((kind) => [kind, operation(kind, examples[kind])]))
