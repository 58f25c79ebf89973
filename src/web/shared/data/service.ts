import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Option } from "effect"
import { makeClient, type Client } from "../../../rpc/Client.ts"

/** RPC client of the service. */
class Service extends Context.Service<Service, Client>()("web/Service") {}

/** Runtime of the client. The change stream stays open while a store is open. */
export const runtime = ManagedRuntime.make(Layer.effect(Service, makeClient({ url: "/rpc", timeout: "30 seconds" })))

/** Call of a procedure. */
export type Call<A, E> = (client: Client) => Effect.Effect<A, E>

/**
 * Runs a call as a promise. Rejects with the tagged error of the procedure, whose message is written for people. The
 * signal interrupts the call.
 */
export const callService = async <A, E>(call: Call<A, E>, signal?: AbortSignal): Promise<A> => {
  const program = Effect.flatMap(Service, call)
  const exit = await runtime.runPromiseExit(program, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw Option.getOrElse(Cause.findErrorOption(exit.cause), () => Cause.squash(exit.cause))
}

export { Service }
