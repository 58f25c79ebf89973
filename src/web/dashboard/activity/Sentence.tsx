import { Link } from "@tanstack/react-router"
import { AgentId, CollectionId, ProductId } from "../../../rpc/Client.ts"
import { ago, time } from "../../data/Format.ts"
import { Badge } from "../../ui/Badge.tsx"
import { useStoreId } from "../Store.ts"
import { ACTORS, type NamedEntry, verbOf } from "./Entries.ts"

/** The resource of an entry, with the way to it where it is still there. */
const Resource = ({ entry: { isThere, resource, resourceId, resourceName } }: { readonly entry: NamedEntry }) => {
  const storeId = useStoreId()
  if (!isThere) return <strong>{resourceName}</strong>
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
    // An app that was uninstalled has a name still, and no page.
    case "settings":
    case "member":
    case "installation":
    case "subscription":
      return <strong>{resourceName}</strong>
  }
}

/** What was done, by whom, to what. */
export const Sentence = ({ entry }: { readonly entry: NamedEntry }) => {
  const kind = ACTORS[entry.actor.type]
  return (
    <>
      <strong>{entry.actorName}</strong> {kind === undefined ? undefined : <Badge>{kind}</Badge>}
      {kind === undefined ? "" : " "}
      {verbOf(entry)} <Resource entry={entry} />
    </>
  )
}

/** How long ago it was. */
export const When = ({ entry: { at } }: { readonly entry: NamedEntry }) => (
  <time dateTime={at} title={time(at)}>
    {ago(at)}
  </time>
)
