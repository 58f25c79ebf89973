import { Context } from "effect"

/**
 * What a model is told of a procedure: what it does, when to use it, units, limits, an example. A procedure with this
 * annotation is a tool of the third surface (`rpc/mcp`), made of its definition; one without is none.
 */
export class ForAgents extends Context.Reference<ForAgents>()("rpc/ForAgents", {
  defaultValue: (): string | undefined => undefined
}) {}
