import { Context, type Effect, Option, Schema, SchemaAST } from "effect"
import type { HttpMethod } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { AccessRule } from "../domain/access/AccessRule.ts"
import { decodeWith } from "../domain/Decoder.ts"
import { type Weight, WorkWeight } from "../domain/Bulkhead.ts"
import { Access, Verbatim } from "./api/Access.ts"
import { PREFIX } from "./api/PartnerApi.ts"
import type { Call, Reply } from "./Call.ts"
import type { PublicError } from "./ErrorTable.ts"

/** An endpoint and what answers its requests, which may refuse with what the error table has a status for. */
export interface Handler<Name extends string = string> {
  readonly name: Name
  readonly method: string
  readonly path: string
  readonly pattern: RegExp
  readonly rule: AccessRule
  readonly weight: Weight
  readonly hasBody: boolean
  /** The names of the query's parameters. */
  readonly parameters: ReadonlyArray<string>
  readonly handle: (call: Call) => Effect.Effect<Reply, PublicError>
}

/** A handler for each endpoint of a group, by the endpoint's name. */
export type HandlersOf<Group> = {
  readonly [Name in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Group>>]: Handler<Name>
}

/** A path of the definitions, as in `/products/:id`: each parameter is one segment. */
const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`)

const namesOf = (schema: Schema.Top | undefined) =>
  schema === undefined || !SchemaAST.isObjects(schema.ast)
    ? []
    : schema.ast.propertySignatures.map(({ name }) => String(name))

/** A part of a request that its endpoint does not define may be anything. Its type lets nobody use it. */
const Absent = Schema.declare((_): _ is never => true)

/** A definition keeps the types of its schemas, and its fields say only that they are schemas. */
const isSchemaOf = <S extends Schema.Top>(schema: Schema.Top): schema is S => Schema.isSchema(schema)

const decoderOf = <S extends Schema.Codec<unknown, unknown>>(schema: Schema.Top = Absent) => {
  if (isSchemaOf<S>(schema)) return decodeWith(schema)
  throw new Error("A part of an endpoint is no schema")
}

/**
 * What the definition of an endpoint says: which requests are its own, how they are read, and the status of an answer.
 * A definition that does not say who may ask is a mistake, with which the service does not start.
 */
export const readEndpoint = <
  Name extends string,
  Params extends Schema.Codec<unknown, unknown>,
  Query extends Schema.Codec<unknown, unknown>,
  Payload extends Schema.Codec<unknown, unknown>,
  Success extends Schema.Top,
  Refusal extends Schema.Top
>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<
    Name,
    HttpMethod.HttpMethod,
    string,
    Params,
    Query,
    Payload,
    never,
    Success,
    Refusal
  >
) => {
  const { annotations, identifier, method, params, payload, query, success } = endpoint
  const path = `${PREFIX}${endpoint.path}`
  const rule = Context.getOption(annotations, Access)
  const body = [...payload.values()].flatMap(({ schemas }) => schemas).at(0)
  const [status = 200] = [...success].map((schema) => Schema.resolveAnnotationsKey(schema)?.httpApiStatus)
  return {
    route: {
      name: identifier,
      method,
      path,
      pattern: patternOf(path),
      rule: Option.getOrThrowWith(rule, () => new Error(`The endpoint ${identifier} has no access rule`)),
      weight: Context.get(annotations, WorkWeight),
      hasBody: body !== undefined,
      parameters: namesOf(query)
    },
    verbatim: Context.get(annotations, Verbatim),
    status,
    decodePath: decoderOf<Params>(params),
    decodeQuery: decoderOf<Query>(query),
    decodeBody: decoderOf<Payload>(body)
  }
}
