import { Context } from "effect"

/** What a procedure does and when to use it, for a model that has never seen the store: an annotation of its definition. */
export const ForAgents = Context.Reference<string | undefined>("rpc/ForAgents", {
  defaultValue: (): string | undefined => undefined
})
