import { Schema } from "effect"

/** Permissions in addition to scopes. Apps declare them and merchants grant them (docs/spec/access.md). */
export const Capability = Schema.Literals(["app_storage", "customer_pii"])
export type Capability = typeof Capability.Type

/** The grant includes capabilities that the app does not declare. */
export class CapabilitiesNotDeclared extends Schema.TaggedError<CapabilitiesNotDeclared>()("CapabilitiesNotDeclared", {
  capabilities: Schema.Array(Capability)
}) {
  override get message() {
    return `The app does not declare ${this.capabilities.join(", ")}; leave them out or declare them on the app`
  }
}
