import { HttpApi } from "@effect/platform"
import { Context, Effect, Option, Redacted, Runtime, type Schema, SchemaAST } from "effect"
import type { IncomingMessage } from "node:http"
import { InvalidToken, requireScope, type Scope } from "../domain/Installation.ts"
import { RateLimit } from "../domain/RateLimit.ts"
import { RequiredScope } from "./api/Access.ts"
import { PartnerApi } from "./api/PartnerApi.ts"
import type { Handler } from "./Call.ts"
import { replyOf } from "./ErrorTable.ts"
import type { Exchange } from "./Exchange.ts"
import { failureOf } from "./Failure.ts"
import { queryOf } from "./Query.ts"
import { send } from "./Send.ts"

/** Answers a request if it is one of the API; says whether it was. */
export type Dispatch = (message: IncomingMessage, exchange: Exchange) => boolean

interface Route {
  readonly method: string
  readonly path: string
  readonly pattern: RegExp
  readonly scope: Option.Option<Scope>
  /** The names of the query's parameters. */
  readonly parameters: ReadonlyArray<string>
  readonly handler: Handler
}

/** A path of the definitions, as in `/products/:id`: each parameter is one segment. */
const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`)

const namesOf = ({ ast }: Schema.Schema.All) => SchemaAST.getPropertySignatures(ast).map(({ name }) => String(name))

/** A route for each endpoint of the definitions. One without a handler does not start. */
const routesOf = (handlers: Readonly<Record<string, Handler>>): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(PartnerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, method, name, path, urlParamsSchema } }) => {
      const handler = handlers[name]
      if (handler === undefined) throw new Error(`The endpoint ${name} has no handler`)
      routes.push({
        method,
        path,
        pattern: patternOf(path),
        scope: Context.getOption(annotations, RequiredScope),
        parameters: Option.match(urlParamsSchema, { onNone: () => [], onSome: namesOf }),
        handler
      })
    }
  })
  return routes
}

/** The scheme, in any case (RFC 9110, section 11.1), and the token behind it. */
const BEARER = /^Bearer (\S+)$/i

/** Path and query. A client may also send the whole URL, and a server has to take it (RFC 9112, section 3.2.2). */
const targetOf = ({ url = "/" }: IncomingMessage) =>
  url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "")

const headerOf = ({ headers }: IncomingMessage, name: string) => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

/**
 * Serves the endpoints of {@link PartnerApi} from their definitions: method, path and scope are read from them.
 *
 * The platform's own `HttpApiBuilder` serves definitions too, for 135 µs of CPU a request beyond the 20 of Node itself;
 * with this a page of five products took 311 to 337 µs in all where it had taken 548 (docs/decisions/0007). The order of
 * the checks is that of decisions, section 4, and stands here to be read: token, installation, store and window; scope;
 * then the handler's key, path and body.
 */
export const makeDispatch = (handlers: Readonly<Record<string, Handler>>) =>
  Effect.gen(function* () {
    const { admit } = yield* RateLimit
    const runFork = Runtime.runFork(yield* Effect.runtime())
    const routes = routesOf(handlers)

    const answer = Effect.fnUntraced(function* (
      { handler, parameters, scope }: Route,
      message: IncomingMessage,
      exchange: Exchange,
      url: string,
      search: string,
      params: Readonly<Record<string, string>>
    ) {
      const [, token] = BEARER.exec(message.headers.authorization ?? "") ?? []
      if (token === undefined) return yield* new InvalidToken()
      const installation = yield* admit(Redacted.make(token))
      exchange.installationId = installation.id
      if (Option.isSome(scope)) yield* requireScope(installation, scope.value)
      const { method = "" } = message
      return yield* handler({
        installation,
        method,
        url,
        header: (name) => headerOf(message, name),
        message,
        params,
        query: queryOf(search, parameters)
      })
    })

    const dispatch: Dispatch = (message, exchange) => {
      const { method } = message
      const url = targetOf(message)
      const [path = ""] = url.split("?", 1)
      const search = url.slice(path.length + 1)
      for (const route of routes) {
        if (route.method !== method) continue
        const match = route.pattern.exec(path)
        if (match === null) continue
        exchange.route = route.path
        runFork(
          answer(route, message, exchange, url, search, match.groups ?? {}).pipe(
            Effect.catchAll((error) => Effect.succeed(replyOf(error))),
            Effect.catchAllCause((cause) => failureOf(cause, exchange.requestId)),
            Effect.map((reply) => send(exchange, reply))
          )
        )
        return true
      }
      return false
    }
    return dispatch
  })
