import { plural, t } from "@lingui/core/macro"
import type { CatalogKind } from "../../../domain/journal/Kinds.ts"
import { number, sentenceList } from "../../shared/data/format.ts"

/** Count of the resources that changes are made to. Its context gives it the right case in other languages. */
const resourcesChanged: Readonly<Record<CatalogKind, (total: number) => string>> = {
  product: (total) => t({ context: "changes to", message: plural(total, { one: "# product", other: "# products" }) }),
  collection: (total) =>
    t({ context: "changes to", message: plural(total, { one: "# collection", other: "# collections" }) })
}

/** Texts of the activity page, the timeline and undo. */
export const activityTexts = {
  page: {
    title: t`Activity`,
    noMatches: t`No matching activity`,
    bulkChanges: t`View bulk changes`,
    clearFilters: t`Clear filters`,
    empty: t`No activity yet`,
    emptyAdvice: t`Every change to your store is listed here, with its author and time.`
  },
  filters: {
    label: t`Filter activity`,
    changedBy: t`Changed by`,
    anyone: t`Anyone`,
    allMembers: t`All members`,
    allAgents: t`All agents`,
    allApps: t`All apps`,
    otherActor: t`Other`,
    source: t`Source`,
    anySource: t`Any source`,
    resource: t`Resource`,
    allResources: t`All resources`,
    resources: {
      product: t`Products`,
      collection: t`Collections`,
      settings: t`Settings`,
      agent: t`Agents`,
      installation: t`Apps`,
      subscription: t`Subscriptions`,
      member: t`Members`,
      invitation: t`Invitations`
    },
    date: t`Date`,
    anyTime: t`Any time`,
    customRange: t`Custom range…`,
    from: t`From`,
    to: t`To`,
    oneResource: t`Showing changes to one resource.`,
    showAllResources: t`Show all resources`,
    timeSpans: {
      hour: t`Last hour`,
      day: t`Last 24 hours`,
      week: t`Last 7 days`,
      month: t`Last 30 days`
    },
    actors: {
      members: t`Members`,
      you: t`You`,
      agents: t`Agents`,
      apps: t`Apps`
    }
  },
  formerActors: {
    app: t`A former app`,
    merchant: t`A former member`,
    agent: t`A former agent`
  },
  serviceOperator: t`Service operator`,
  unnamedResources: {
    product: t`a deleted product`,
    collection: t`a deleted collection`,
    settings: t`the settings`,
    member: t`a former member`,
    invitation: t`an invitation to the store`,
    agent: t`a former agent`,
    installation: t`an app`,
    subscription: t`an app`
  },
  verbs: {
    product: { created: t`created`, updated: t`updated`, deleted: t`deleted` },
    collection: { created: t`created`, updated: t`updated`, deleted: t`deleted` },
    settings: { created: t`created`, updated: t`updated`, deleted: t`deleted` },
    member: { created: t`added`, updated: t`changed the role of`, deleted: t`removed` },
    invitation: { created: t`created`, updated: t`accepted`, deleted: t`revoked` },
    agent: { created: t`created the agent`, updated: t`updated the agent`, deleted: t`revoked the agent` },
    /** Before a count of agents. */
    agents: { created: t`created`, updated: t`updated`, deleted: t`revoked` },
    installation: { created: t`installed`, updated: t`changed the permissions of`, deleted: t`uninstalled` },
    subscription: {
      created: t`started the subscription to`,
      updated: t`changed the subscription to`,
      deleted: t`canceled the subscription to`
    },
    appSuspended: t`suspended`,
    appResumed: t`resumed`,
    deliveriesPaused: t`paused deliveries to`,
    deliveriesResumed: t`resumed deliveries to`,
    resetLinkCreated: t`created a reset link for`,
    resetLinkUsed: t`reset the password of`,
    undone: t`undid a change to`
  },
  surfaces: {
    rpc: t`Dashboard`,
    rest: t`App API`,
    mcp: t`Agent tools`,
    cli: t`Operator tools`,
    import: t`Import`,
    consent: t`Consent page`
  },
  actorTypes: {
    app: t`App`,
    agent: t`Agent`
  },
  timeline: {
    before: t`Before`,
    after: t`After`,
    empty: t`empty`,
    undone: t`Undone`,
    details: (actor: string, verb: string, resource: string) => t`Details: ${actor} ${verb} ${resource}`,
    fieldChange: (field: string, before: string, after: string) => t`${field}: ${before} → ${after}`,
    moreFields: (fields: number) => t`${plural(fields, { one: "# more field", other: "# more fields" })}`,
    reason: (reason: string) => t`“${reason}”`,
    changeSet: t`Change set`,
    changed: (changes: number) => t`made ${plural(changes, { one: "# change", other: "# changes" })}`,
    changedMany: t`made a bulk change`,
    changesOf: (actor: string, changes: number) =>
      t`${plural(changes, { one: "# change", other: "# changes" })} by ${actor}`,
    undoAll: t`Undo all`,
    undoAllOf: (actor: string, changes: number) =>
      t`Undo all: ${plural(changes, { one: "# change", other: "# changes" })} by ${actor}`,
    period: (from: string, to: string) => (from === to ? from : t`${from} to ${to}`),
    undoEntry: (actor: string, verb: string, resource: string) => t`Undo: ${actor} ${verb} ${resource}`,
    undo: t`Undo`,
    undoWhole: t`Undo the whole change`,
    approvedBy: (approver: string) => t`approved by ${approver}`,
    changedFields: t`Changed fields`,
    omitted: (fields: string) => t`Also changed, but too large to show: ${fields}.`
  },
  span: {
    action: (actor: string) => t`Undo changes by ${actor}…`,
    title: (actor: string) => t`Undo changes by ${actor}`,
    period: t`Period`,
    lastHour: t`Last hour`,
    lastDay: t`Last 24 hours`,
    custom: t`Custom period`,
    start: t`Start time`,
    end: t`End time`,
    endHint: t`Leave empty to include changes until now.`,
    invalidStart: t`Enter a date and a time`,
    invalidEnd: t`Enter a time after the start time`,
    noChanges: t`Undo changes`,
    undoChanges: (changes: number) => t`Undo ${plural(changes, { one: "# change", other: "# changes" })}`,
    sinceStart: (since: string) => t`From ${since} until now.`,
    startToEnd: (since: string, until: string) => t`From ${since} to ${until}.`
  },
  history: {
    title: t`History`,
    show: t`Show history`,
    hide: t`Hide history`,
    empty: t`No recorded changes`,
    emptyAdvice: t`Changes appear here for up to 400 days.`,
    changes: t`Changes`,
    fields: t`Who set each field`,
    fieldsCaption: t`Fields and their last change`,
    field: t`Field`,
    value: t`Value`,
    setBy: t`Set by`,
    fieldSource: (at: string, surface: string, reason: string | null) =>
      reason === null ? t`${at} · ${surface}` : t`${at} · ${surface} · “${reason}”`
  },
  undo: {
    title: t`Undo this change`,
    action: t`Undo change`,
    restoredValues: t`Restored values`,
    current: t`Current`,
    afterUndo: t`After undo`,
    laterChanges: t`Later changes found.`,
    laterChangesAdvice: t`This undo would overwrite them. Undo them first, or edit the values yourself.`,
    undoFirst: t`Undo this change first`,
    restored: t`Changes restored`,
    nothingToUndo: t`Nothing to undo`,
    undoneToast: (changes: number) => t`${plural(changes, { one: "# change", other: "# changes" })} undone`,
    redo: t`Redo`,
    redoFailed: (advice: string) => t`The changes could not be restored. ${advice}`
  },
  preview: {
    namesAndMore: (names: string, rest: number) => t`${names} and ${number(rest)} more`,
    noNotifications: t`No app is notified.`,
    notifications: (apps: string) => t`Notified apps: ${apps}.`,
    added: (collections: number, titles: string) =>
      t`Added to ${plural(collections, { one: "# collection", other: "# collections" })}: ${titles}.`,
    removed: (collections: number, titles: string) =>
      t`Removed from ${plural(collections, { one: "# collection", other: "# collections" })}: ${titles}.`,
    deletes: (name: string) => t`Deletes ${name}, which this change created.`,
    restoresDeleted: (name: string) => t`Restores ${name} with its ID and its positions in manual collections.`,
    restoresFields: (resource: string, name: string) =>
      t`Restores these fields of the ${resource} ${name}. Other changes are kept.`,
    nothing: t`No changes to undo. Nothing was changed in this period, or all of it is already undone.`,
    undoes: (changes: number, counts: ReadonlyArray<readonly [kind: CatalogKind, resources: number]>) => {
      const resources = sentenceList(counts.map(([kind, total]) => resourcesChanged[kind](total)))
      return t`Undoes ${plural(changes, { one: "# change", other: "# changes" })} to ${resources}. If one change cannot be undone, none is.`
    }
  }
} as const
