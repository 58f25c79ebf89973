import { type HttpApiEndpoint, type HttpApiGroup, HttpApiSchema, type HttpMethod } from "@effect/platform"
import { Context, Effect, Option, Schema, SchemaAST } from "effect"
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
  readonly [Name in HttpApiEndpoint.HttpApiEndpoint.Name<HttpApiGroup.HttpApiGroup.Endpoints<Group>>]: Handler<Name>
}

/** A path of the definitions, as in `/products/:id`: each parameter is one segment. */
const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`)

const namesOf = ({ ast }: Schema.Schema.All) => SchemaAST.getPropertySignatures(ast).map(({ name }) => String(name))

/** A part of a request that its endpoint does not define. Its type lets nobody use it. */
const ABSENT = Schema.decodeUnknownSync(Schema.declare((part): part is never => part === undefined))(undefined)

const decoderOf = <A>(schema: Option.Option<Schema.Schema<A, unknown>>) =>
  Option.match(schema, { onNone: () => () => Effect.succeed(ABSENT), onSome: decodeWith })

/**
 * What the definition of an endpoint says: which requests are its own, how they are read, and the status of an answer.
 * A definition that does not say who may ask is a mistake, with which the service does not start.
 */
export const readEndpoint = <Name extends string, Path, Query, Body, Success, Refusal>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, HttpMethod.HttpMethod, Path, Query, Body, never, Success, Refusal>
) => {
  const { annotations, method, name, pathSchema, payloadSchema, successSchema, urlParamsSchema } = endpoint
  const path = `${PREFIX}${endpoint.path}`
  const rule = Context.getOption(annotations, Access)
  return {
    route: {
      name,
      method,
      path,
      pattern: patternOf(path),
      rule: Option.getOrThrowWith(rule, () => new Error(`The endpoint ${name} has no access rule`)),
      weight: Context.get(annotations, WorkWeight),
      hasBody: Option.isSome(payloadSchema),
      parameters: Option.match(urlParamsSchema, { onNone: () => [], onSome: namesOf })
    },
    verbatim: Context.get(annotations, Verbatim),
    status: HttpApiSchema.getStatusSuccess(successSchema),
    decodePath: decoderOf(pathSchema),
    decodeQuery: decoderOf(urlParamsSchema),
    decodeBody: decoderOf(payloadSchema)
  }
}
