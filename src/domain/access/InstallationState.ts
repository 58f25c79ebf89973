import { Option, Schema } from "effect"

/**
 * State of an installation.
 *
 * - `active`: requests are admitted and events are delivered.
 * - `suspended`: requests are rejected and no events are delivered. Tokens and data are kept.
 * - `uninstalled`: treated as not found. Its data is kept for {@link DATA_HOURS} hours for a new installation.
 */
export const InstallationState = Schema.Literals(["active", "suspended", "uninstalled"])
export type InstallationState = typeof InstallationState.Type

interface Transition {
  readonly from: ReadonlyArray<InstallationState>
  readonly to: InstallationState
}

/**
 * Allowed state transitions of an installation. Suspending a suspended installation and resuming an active one change
 * nothing. An uninstalled one can only be installed again.
 */
export const TRANSITIONS = {
  install: { from: ["active", "suspended", "uninstalled"], to: "active" },
  suspend: { from: ["active", "suspended"], to: "suspended" },
  resume: { from: ["active", "suspended"], to: "active" },
  uninstall: { from: ["active", "suspended"], to: "uninstalled" }
} as const satisfies Record<string, Transition>
export type InstallationAct = keyof typeof TRANSITIONS

/** Returns the state after an action, or none if the installation is treated as not found. */
export const stateAfter = (state: InstallationState, act: InstallationAct): Option.Option<InstallationState> => {
  const { from, to }: Transition = TRANSITIONS[act]
  return from.includes(state) ? Option.some(to) : Option.none()
}

/** Hours for which the app data of an installation is kept after uninstallation. */
export const DATA_HOURS = 48
