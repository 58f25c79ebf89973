import { SchemaAST, type SchemaRepresentation } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { ErrorBody } from "../ErrorTable.ts"
import { completeDocument } from "./Conventions.ts"
import { PartnerApi } from "./PartnerApi.ts"
import { JSON_SCHEMA } from "./Shapes.ts"
import { CollectionUpdated, ProductUpdated } from "./Webhooks.ts"

const introduction = `
Reads and changes the data of the store that an access token belongs to. Every body, in both directions, is JSON.

## Authentication

Each request carries \`Authorization: Bearer <access token>\`. The token names the installation and its store; no request can name another store. An operation asks for the scope or capability that stands with it.

## Errors

Every error is \`{ "error": "..." }\` with the matching status. \`issues\`, where it is there, has one line for each thing to change. A refused request has changed nothing.

## Writing once

Each POST, PUT, PATCH and DELETE carries an \`Idempotency-Key\`: one new key for each operation, and the same key on its retries. The operation runs once; a retry within 24 hours gets the stored answer, byte for byte, with \`Idempotent-Replayed: true\`.

## Writing what was read

A resource comes with its version as \`ETag\`. A write with that tag in \`If-Match\` is refused with 412 when the resource has changed since. The tag of an automated collection changes with its products too; \`If-Match\` asks for its version alone.

Fields of a body that are unknown or cannot be set are ignored, so that what was read can be sent back. With \`Prefer: handling=strict\` they are refused.

## Lists

Lists run in ascending order of id, app data in that of key. The \`nextCursor\` of a page is the \`cursor\` of the next one; it is null when there is no further row, and only then: a page that would grow large, or take long, ends before it holds \`limit\` rows.

## Rate limit

100 requests are admitted in any 60 seconds of an installation. Above that the answer is 429; wait and repeat. No header tells how long.

## Events

An app may register a webhook for the kinds of events under \`webhooks\` below. Each creation and change of a product or a collection in the stores where it is installed sends an event, except its own. Deletions send no event. Each delivery is signed. A write that answers an event names it in \`X-Service-Event-Id\`.

## Numbers and text

Numbers are kept with all of their digits. Text is Unicode without NUL. Times are RFC 3339 in UTC.
`.trim()

/** The API with the texts of its reference. They are not in the definitions, which the Effect client bundles. */
const Documented = PartnerApi.annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.Summary, "Reads and changes the catalog of a store")
  .annotate(OpenApi.Description, introduction)
  .annotate(OpenApi.License, { name: "Proprietary" })
  .annotate(OpenApi.Servers, [{ url: "/", description: "This server" }])
  .annotate(HttpApi.AdditionalSchemas, [ErrorBody, ProductUpdated, CollectionUpdated])

const ENCODED = /Encoded$/

/**
 * Makes components of objects and ids. The encoded form of an id has another name, because its case can differ; the document
 * shows one for both. An id with its own description is shown in place.
 */
const referencePolicy: SchemaRepresentation.ReferencePolicy = ({ ast, identifier = "" }) => {
  const isId = ENCODED.test(identifier) && ast.annotations?.description === undefined
  return identifier !== "" && (isId || SchemaAST.isObjects(ast)) ? identifier.replace(ENCODED, "") : undefined
}

/** The OpenAPI document of the API. */
export const openApi = (): Readonly<Record<string, unknown>> =>
  completeDocument(
    OpenApi.fromApi(Documented, {
      includeAnnotationKey: (key) => key === JSON_SCHEMA,
      referencePolicy
    })
  )
