import { SchemaAST, type SchemaRepresentation } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { release } from "../../domain/Release.ts"
import { ErrorBody } from "../ErrorTable.ts"
import { completeDocument } from "./Conventions.ts"
import { PartnerApi } from "./PartnerApi.ts"
import { JSON_SCHEMA } from "./Shapes.ts"
import { eventSchemas } from "./Webhooks.ts"

const introduction = `
Reads and changes the data of the store that an access token belongs to. Every body, in both directions, is JSON. \`docs/spec\` in the repository of the service has every rule, one page a topic.

## Authentication

Each request has the header \`Authorization: Bearer <access token>\`. The token identifies the installation and its store. Requests cannot address another store. Each operation lists the scope or capability that it requires. Rules: \`docs/spec/access.md\`, \`docs/oauth.md\`.

## Errors

Every error response is \`{ "error": "..." }\` with the matching status. \`issues\`, if present, has one line for each problem. A failed request changes nothing. Rules: \`docs/spec/requests.md\`.

## Idempotency

Each POST, PUT, PATCH and DELETE requires an \`Idempotency-Key\`: a new key for each operation, and the same key on its retries. The operation runs once. A retry within 24 hours returns the stored response, byte for byte, with \`Idempotent-Replayed: true\`. Rules: \`docs/spec/idempotency.md\`.

## Conditional writes

The \`ETag\` of a resource is its version. A write with that tag in \`If-Match\` fails with 412 if the resource has changed since. The tag of a collection also changes with its products, but \`If-Match\` compares only the version.

Unknown and read-only fields of a body are ignored, so that a resource can be sent back as it was read. With \`Prefer: handling=strict\` they are refused. Rules: \`docs/spec/requests.md\`, \`docs/spec/products.md\`.

## Lists

Lists are in ascending order of id, app data in ascending order of key. The \`nextCursor\` of a page is the \`cursor\` of the next page. It is null only on the last page: a large or slow page can have fewer than \`limit\` rows. Rules: \`docs/spec/pagination.md\`.

## Rate limit

An installation can send 100 requests in any 60 seconds. Further requests get 429; wait and repeat them. No header states how long. Rules: \`docs/spec/rate-limit.md\`.

## Events

An app can register a webhook for the event kinds under \`webhooks\` below. It gets an event for each creation and update of a product or collection in the stores where it is installed, except its own. Deletions emit no event. Each delivery is signed. A write in response to an event sends its id in \`X-Service-Event-Id\`. Rules: \`docs/webhooks.md\`.

## Numbers and text

Numbers follow I-JSON (RFC 7493): a number is accepted if a double (IEEE 754) prints as the same value, as 0.1, 19.99 or 1e2. Others get 400; round them to at most 15 digits. \`metafields\`, \`customFields\`, app data and rules also take text. Sums are computed in decimals. Text is Unicode without NUL. Times are RFC 3339 in UTC. Rules: \`docs/spec/values.md\`.
`.trim()

/** The API with the texts of its reference. They are not in the definitions, because the Effect client bundles those. */
const Documented = PartnerApi.annotate(OpenApi.Version, release)
  .annotate(OpenApi.Summary, "Reads and changes the catalog of a store")
  .annotate(OpenApi.Description, introduction)
  .annotate(OpenApi.License, { name: "Proprietary" })
  .annotate(HttpApi.AdditionalSchemas, [ErrorBody, ...eventSchemas])

const ENCODED = /Encoded$/

/**
 * Makes components of objects and ids. Decoded and encoded ids have different names, because their case can differ; the
 * document has one component for both. An id with its own description is inlined.
 */
const referencePolicy: SchemaRepresentation.ReferencePolicy = ({ ast, identifier = "" }) => {
  const isId = ENCODED.test(identifier) && ast.annotations?.description === undefined
  return identifier !== "" && (isId || SchemaAST.isObjects(ast)) ? identifier.replace(ENCODED, "") : undefined
}

/**
 * Generates the OpenAPI document of the API. `server` is the origin of the service. Programs that import a stored document
 * cannot resolve the relative default.
 */
export const openApi = (server = "/"): Readonly<Record<string, unknown>> =>
  completeDocument(
    OpenApi.fromApi(Documented.annotate(OpenApi.Servers, [{ url: server, description: "This server" }]), {
      includeAnnotationKey: (key) => key === JSON_SCHEMA,
      referencePolicy
    })
  )
