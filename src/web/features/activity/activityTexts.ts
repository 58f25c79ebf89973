import type { CatalogKind } from "../../../domain/journal/Kinds.ts"
import { count, number } from "../../shared/data/format.ts"

/** Texts of the activity page, the timeline and undo. */
export const activityTexts = {
  page: {
    title: "Activity",
    noMatches: "No matching activity",
    bulkChanges: "View bulk changes",
    clearFilters: "Clear filters",
    empty: "No activity yet",
    emptyAdvice: "Every change to your store is listed here, with its author and time."
  },
  filters: {
    label: "Filter activity",
    changedBy: "Changed by",
    anyone: "Anyone",
    allMembers: "All members",
    allAgents: "All agents",
    allApps: "All apps",
    otherActor: "Other",
    source: "Source",
    anySource: "Any source",
    resource: "Resource",
    allResources: "All resources",
    resources: {
      product: "Products",
      collection: "Collections",
      settings: "Settings",
      agent: "Agents",
      installation: "Apps",
      subscription: "Subscriptions",
      member: "Members",
      invitation: "Invitations"
    },
    date: "Date",
    anyTime: "Any time",
    customRange: "Custom range…",
    from: "From",
    to: "To",
    oneResource: "Showing changes to one resource.",
    showAllResources: "Show all resources",
    timeSpans: {
      hour: "Last hour",
      day: "Last 24 hours",
      week: "Last 7 days",
      month: "Last 30 days"
    },
    actors: {
      members: "Members",
      you: "You",
      agents: "Agents",
      apps: "Apps"
    }
  },
  formerActors: {
    app: "A former app",
    merchant: "A former member",
    agent: "A former agent"
  },
  serviceOperator: "Service operator",
  unnamedResources: {
    product: "a deleted product",
    collection: "a deleted collection",
    settings: "the settings",
    member: "a former member",
    invitation: "an invitation to the store",
    agent: "a former agent",
    installation: "an app",
    subscription: "an app"
  },
  verbs: {
    product: { created: "created", updated: "updated", deleted: "deleted" },
    collection: { created: "created", updated: "updated", deleted: "deleted" },
    settings: { created: "created", updated: "updated", deleted: "deleted" },
    member: { created: "added", updated: "changed the role of", deleted: "removed" },
    invitation: { created: "created", updated: "accepted", deleted: "revoked" },
    agent: { created: "created the agent", updated: "updated the agent", deleted: "revoked the agent" },
    installation: { created: "installed", updated: "changed the permissions of", deleted: "uninstalled" },
    subscription: {
      created: "started the subscription to",
      updated: "changed the subscription to",
      deleted: "canceled the subscription to"
    },
    appSuspended: "suspended",
    appResumed: "resumed",
    deliveriesPaused: "paused deliveries to",
    deliveriesResumed: "resumed deliveries to",
    resetLinkCreated: "created a reset link for",
    resetLinkUsed: "reset the password of",
    undone: "undid a change to"
  },
  surfaces: {
    rpc: "Dashboard",
    rest: "App API",
    mcp: "Agent tools",
    cli: "Operator tools",
    import: "Import",
    consent: "Consent page"
  },
  actorTypes: {
    app: "App",
    agent: "Agent"
  },
  timeline: {
    before: "Before",
    after: "After",
    empty: "empty",
    undone: "Undone",
    details: (actor: string, verb: string, resource: string) => `Details: ${actor} ${verb} ${resource}`,
    fieldChange: (field: string, before: string, after: string) => `${field}: ${before} → ${after}`,
    moreFields: (fields: number) => `${count(fields, "more field")}`,
    reason: (reason: string) => `“${reason}”`,
    changeSet: "Change set",
    changed: (changes: number) => `made ${count(changes, "change")}`,
    changesOf: (actor: string, changes: number) => `${count(changes, "change")} by ${actor}`,
    undoAll: "Undo all",
    undoAllOf: (actor: string, changes: number) => `Undo all: ${count(changes, "change")} by ${actor}`,
    period: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
    undoEntry: (actor: string, verb: string, resource: string) => `Undo: ${actor} ${verb} ${resource}`,
    undo: "Undo",
    undoWhole: "Undo the whole change",
    approvedBy: (approver: string) => `approved by ${approver}`,
    changedFields: "Changed fields",
    omitted: (fields: string) => `Also changed, but too large to show: ${fields}.`
  },
  span: {
    action: (actor: string) => `Undo changes by ${actor}…`,
    title: (actor: string) => `Undo changes by ${actor}`,
    period: "Period",
    lastHour: "Last hour",
    lastDay: "Last 24 hours",
    custom: "Custom period",
    start: "Start time",
    end: "End time",
    endHint: "Leave empty to include changes until now.",
    invalidStart: "Enter a date and a time",
    invalidEnd: "Enter a time after the start time",
    noChanges: "Undo changes",
    undoChanges: (changes: number) => `Undo ${count(changes, "change")}`,
    sinceStart: (since: string) => `From ${since} until now.`,
    startToEnd: (since: string, until: string) => `From ${since} to ${until}.`
  },
  history: {
    title: "History",
    show: "Show history",
    hide: "Hide history",
    empty: "No recorded changes",
    emptyAdvice: "Changes of the last 400 days appear here.",
    changes: "Changes",
    fields: "Who set each field",
    fieldsCaption: "Fields and their last change",
    field: "Field",
    value: "Value",
    setBy: "Set by",
    fieldSource: (at: string, surface: string, reason: string | null) =>
      reason === null ? `${at} · ${surface}` : `${at} · ${surface} · “${reason}”`
  },
  undo: {
    title: "Undo this change",
    action: "Undo change",
    restoredValues: "Restored values",
    current: "Current",
    afterUndo: "After undo",
    laterChanges: "Later changes found.",
    laterChangesAdvice: "This undo would overwrite them. Undo them first, or edit the values yourself.",
    undoFirst: "Undo this change first",
    restored: "Changes restored",
    nothingToUndo: "Nothing to undo",
    undoneToast: (changes: number) => `${count(changes, "change")} undone`,
    redo: "Redo",
    redoFailed: (advice: string) => `The changes could not be restored. ${advice}`
  },
  preview: {
    namesAndMore: (names: string, rest: number) => `${names} and ${number(rest)} more`,
    noNotifications: "No app is notified.",
    notifications: (apps: string) => `Notified apps: ${apps}.`,
    added: (collections: number, titles: string) => `Added to ${count(collections, "collection")}: ${titles}.`,
    removed: (collections: number, titles: string) => `Removed from ${count(collections, "collection")}: ${titles}.`,
    deletes: (name: string) => `Deletes ${name}, which this change created.`,
    restoresDeleted: (name: string) => `Restores ${name} with its ID and its positions in manual collections.`,
    restoresFields: (resource: string, name: string) =>
      `Restores these fields of the ${resource} ${name}. Other changes are kept.`,
    nothing: "No changes to undo. Nothing was changed in this period, or all of it is already undone.",
    undoes: (changes: number, counts: ReadonlyArray<readonly [kind: CatalogKind, resources: number]>) => {
      const resources = counts.map(([kind, resources]) => count(resources, kind)).join(" and ")
      return `Undoes ${count(changes, "change")} to ${resources}. If one change cannot be undone, none is.`
    }
  }
} as const
