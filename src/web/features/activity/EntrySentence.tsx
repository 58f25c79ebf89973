import { Link } from "@tanstack/react-router"
import { RelativeTime, Badge } from "../../shared/ui/display/Values.tsx"
import { AgentId, CollectionId, ProductId } from "../../../rpc/Client.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { ChangeSetId } from "../../../domain/changeSets/ChangeSet.ts"
import { actorLabels, type NamedEntry, verbOf } from "./entries.ts"
import { activityTexts } from "./activityTexts.ts"

/** Resource of an entry, as a link if it still exists. */
const ResourceLink = ({ entry: { exists, resource, resourceId, resourceName } }: { readonly entry: NamedEntry }) => {
  const storeId = useStoreId()
  if (!exists) return <strong>{resourceName}</strong>
  switch (resource) {
    case "product":
      return (
        <Link to="/dashboard/$storeId/products/$productId" params={{ storeId, productId: ProductId.make(resourceId) }}>
          {resourceName}
        </Link>
      )
    case "collection":
      return (
        <Link
          to="/dashboard/$storeId/collections/$collectionId"
          params={{ storeId, collectionId: CollectionId.make(resourceId) }}
        >
          {resourceName}
        </Link>
      )
    case "agent":
      return (
        <Link to="/dashboard/$storeId/agents/$agentId" params={{ storeId, agentId: AgentId.make(resourceId) }}>
          {resourceName}
        </Link>
      )
    // Uninstalled apps have a name, but no page.
    case "settings":
    case "member":
    case "invitation":
    case "installation":
    case "subscription":
      return <strong>{resourceName}</strong>
  }
}

/** Sentence such as "Ada updated Oak desk". */
export const EntrySentence = ({ entry }: { readonly entry: NamedEntry }) => {
  const kind = actorLabels[entry.actor.type]
  return (
    <>
      <strong>{entry.actorName}</strong> {kind === undefined ? undefined : <Badge>{kind}</Badge>}
      {kind === undefined ? "" : " "}
      {verbOf(entry)} <ResourceLink entry={entry} />
    </>
  )
}

/** Sentence such as "Ada made 371 changes", which links to the page of the change set. */
export const ChangeSetSentence = ({
  entry: { actor, actorName, setChanges },
  id
}: {
  readonly entry: NamedEntry
  readonly id: string
}) => {
  const storeId = useStoreId()
  const kind = actorLabels[actor.type]
  return (
    <>
      <strong>{actorName}</strong> {kind === undefined ? undefined : <Badge>{kind}</Badge>}
      {kind === undefined ? "" : " "}
      {setChanges === null ? (
        activityTexts.timeline.changedMany
      ) : (
        <Link to="/dashboard/$storeId/changes/$changeSetId" params={{ storeId, changeSetId: ChangeSetId.make(id) }}>
          {activityTexts.timeline.changed(setChanges)}
        </Link>
      )}
    </>
  )
}

/** Relative time of an entry. */
export const EntryTime = ({ entry: { at } }: { readonly entry: NamedEntry }) => <RelativeTime at={at} />
