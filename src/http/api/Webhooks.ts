import { Schema } from "effect"
import { InstallationId } from "../../domain/access/Ids.ts"
import { Collection, CollectionHead } from "../../domain/catalog/Collection.ts"
import { ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import { withDescription, Timestamp } from "../../domain/catalog/Fields.ts"
import { Product } from "../../domain/catalog/Product.ts"
import { EventId, EventKind, EVENTS, MAX_HOPS } from "../../domain/Events.ts"
import { StoreId } from "../../domain/Store.ts"

/*
 * The `webhooks` of the OpenAPI document. The service sends these requests, so no endpoint defines them.
 */

const envelope = {
  id: withDescription(EventId, "The event's id, the same on every attempt. Use it to detect repeated deliveries"),
  occurredAt: Timestamp.annotate({ description: "The time of the write" }),
  storeId: withDescription(StoreId, "The store of the write"),
  actor: Schema.Struct({ type: Schema.Literals(["app", "merchant", "agent"]) }).annotate({
    description: "The author of the write: an app, the merchant, or an AI agent"
  }),
  originInstallationId: Schema.optionalKey(
    withDescription(InstallationId, "The installation of the write, if an app wrote. It does not receive this event")
  ),
  changeSetId: Schema.optionalKey(
    withDescription(ChangeSetId, "The change set of the write, if it was part of one (docs/change-sets.md)")
  ),
  hops: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: MAX_HOPS }))).annotate({
    description: `The number of events in a row that led to the write. Send the event's id as \`X-Service-Event-Id\` with writes that respond to it; a write after ${MAX_HOPS} hops is refused`
  })
}

/** Resource in `data` of each event kind. */
const RESOURCES = {
  "catalog.product.updated.v1": Product,
  "catalog.collection.updated.v1": Schema.Struct({
    ...CollectionHead.fields,
    productIds: Schema.optionalKey(
      Collection.fields.productIds.annotate({
        description:
          "The products of a manual collection. Absent for an automated collection: read it to get its products"
      })
    ),
    productCount: Schema.optionalKey(Collection.fields.productCount)
  })
} satisfies Record<EventKind, Schema.Top>

const summaryOf = (kind: EventKind) => `A ${EVENTS[kind].resource} was created or changed`

/** Schemas of all events. */
export const eventSchemas = EventKind.literals.map((kind) =>
  Schema.Struct({
    ...envelope,
    kind: Schema.Literal(kind).annotate({ description: "The kind of the event" }),
    data: Schema.Struct({ [EVENTS[kind].resource]: RESOURCES[kind] })
  }).annotate({ identifier: EVENTS[kind].name, description: summaryOf(kind) })
)

const requiredHeader = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

const signed = [
  requiredHeader("webhook-id", "The event's id (Standard Webhooks)", "019c1363-49c0-7d21-8e4f-3a6b0c9d2f18"),
  requiredHeader("webhook-timestamp", "The time of this attempt, in Unix seconds", "1790000000"),
  requiredHeader(
    "webhook-signature",
    "One signature for each valid secret, separated by spaces: `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the base64-decoded part of the secret after `whsec_`",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  ),
  requiredHeader(
    "X-Service-Event-Id",
    "The event's id. Send it with writes that respond to the event",
    "019c1363-49c0-7d21-8e4f-3a6b0c9d2f18"
  ),
  requiredHeader("X-Service-Timestamp", "The time of this attempt, in Unix seconds", "1790000000"),
  requiredHeader(
    "X-Service-Signature",
    "Lower-case hex of HMAC-SHA256 over `<X-Service-Timestamp>.<body>`, with the whole secret as key. During the 24 hours of a rotation the key is the previous secret",
    "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"
  ),
  {
    name: "X-Service-Signature-Next",
    in: "header",
    required: false,
    description: "Present during a rotation: the same as `X-Service-Signature`, with the new secret as key",
    schema: { type: "string" }
  }
]

const description = (kind: EventKind) =>
  `Sent to every active installation of an app that subscribed to \`${kind}\` and has the scope \`${EVENTS[kind].scope}\`, except the author of the write. A delivery without a 2xx response within 10 seconds is retried: 14 attempts over about 72 hours. \`Retry-After\` can extend the delays. Deliveries can repeat and arrive in any order: order them by \`version\`.`

const operation = (kind: EventKind, example: unknown) => ({
  post: {
    operationId: EVENTS[kind].name,
    summary: summaryOf(kind),
    description: description(kind),
    tags: ["Webhooks"],
    security: [],
    parameters: signed,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${EVENTS[kind].name}` },
          examples: { Event: { value: example } }
        }
      }
    },
    responses: {
      "2XX": { description: "Received. The body is ignored" },
      "410": { description: "Pauses the webhook immediately" },
      default: { description: "Not received. Like a redirect or no response within 10 seconds, it is retried" }
    }
  }
})

/** Makes the request of each event kind, with an example. */
export const webhooksOf = (examples: Readonly<Record<EventKind, unknown>>) =>
  Object.fromEntries(EventKind.literals.map((kind) => [kind, operation(kind, examples[kind])]))
