import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Option } from "effect"
import { makeClient, type Client } from "../../rpc/Client.ts"

/** The service's procedures, as every page calls them. */
class Service extends Context.Service<Service, Client>()("web/Service") {}

/** Other than the calls of pages, the changes of a store are followed for as long as it is looked at. */
export const runtime = ManagedRuntime.make(Layer.effect(Service, makeClient({ url: "/rpc", timeout: "30 seconds" })))

/** What a page asks of the service. */
export type Call<A, E> = (client: Client) => Effect.Effect<A, E>

/**
 * Asks the service. What the procedure refuses with is thrown as itself, a tagged error whose message tells a person what
 * to do; where nobody waits for the answer any more, the call ends.
 */
export const callService = async <A, E>(call: Call<A, E>, signal?: AbortSignal): Promise<A> => {
  const program = Effect.flatMap(Service, call)
  const exit = await runtime.runPromiseExit(program, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw Option.getOrElse(Cause.findErrorOption(exit.cause), () => Cause.squash(exit.cause))
}

export { Service }
