import { Schema } from "effect"
import { formatInteger } from "../Text.ts"
import { ChangeSetId, ChangeSetState, KEPT_DAYS, MAX_OPERATIONS, MAX_UNFINISHED } from "./ChangeSet.ts"

export class ChangeSetNotFound extends Schema.TaggedError<ChangeSetNotFound>()("ChangeSetNotFound", {
  id: ChangeSetId
}) {
  override get message() {
    return `Change set ${this.id} was not found; change sets are kept for ${KEPT_DAYS} days`
  }
}

/** The change set is in a state that does not allow the request. */
export class ChangeSetStateMismatch extends Schema.TaggedError<ChangeSetStateMismatch>()("ChangeSetStateMismatch", {
  state: ChangeSetState,
  allowed: Schema.Array(ChangeSetState)
}) {
  override get message() {
    return `The change set is ${this.state}; this is possible only while it is ${this.allowed.join(" or ")}`
  }
}

/** An atomic change set with refused operations cannot be applied. */
export class ChangeSetRefused extends Schema.TaggedError<ChangeSetRefused>()("ChangeSetRefused", {
  refused: Schema.Int
}) {
  override get message() {
    return `${formatInteger(this.refused)} operations of the atomic change set are refused; read its results and make a new set without them`
  }
}

export class TooManyChangeSets extends Schema.TaggedError<TooManyChangeSets>()("TooManyChangeSets", {}) {
  override get message() {
    return `The store has ${MAX_UNFINISHED} unfinished change sets, the maximum; apply or cancel some of them`
  }
}

export class TooManyOperations extends Schema.TaggedError<TooManyOperations>()("TooManyOperations", {
  limit: Schema.Int
}) {
  override get message() {
    return `A change set has at most ${formatInteger(this.limit)} operations; split it, or use mode \`each\` for up to ${formatInteger(MAX_OPERATIONS)}`
  }
}

/** The applied change set has been undone. */
export class ChangeSetUndone extends Schema.TaggedError<ChangeSetUndone>()("ChangeSetUndone", { by: ChangeSetId }) {
  override get message() {
    return `The change set is undone already, by ${this.by}; undo that one to apply it again`
  }
}

/** The change set has changed nothing that the journal can undo. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", {}) {
  override get message() {
    return "The change set has changed no products or collections, so there is nothing to undo"
  }
}

/** Scopes of which a caller has none that one of the operations needs. */
export class OperationScopeMissing extends Schema.TaggedError<OperationScopeMissing>()("OperationScopeMissing", {
  scopes: Schema.Array(Schema.String)
}) {
  override get message() {
    return `An operation of the change set needs the scope ${this.scopes.join(" or ")}, which was not granted`
  }
}

/** Others changed what an operation writes or computes from, after its preview. */
export class ChangedByOthers extends Schema.TaggedError<ChangedByOthers>()("ChangedByOthers", {
  /** Null for the whole resource. */
  members: Schema.NullOr(Schema.Array(Schema.String)),
  current: Schema.Int
}) {
  override get message() {
    const members = [...new Set(this.members?.map((path) => path.replace(/\/.*/, "")))]
    const changed = members.length === 0 ? "the resource" : members.join(", ")
    return `Others changed ${changed} after the preview; the version is now ${this.current}. Make a new change set, or apply with \`onConflict: overwrite\``
  }
}
