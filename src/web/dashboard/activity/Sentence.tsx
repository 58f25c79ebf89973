import { Link } from "@tanstack/react-router"
import { CollectionId, ProductId } from "../../../rpc/Client.ts"
import { ago, time } from "../../data/Format.ts"
import { Badge } from "../../ui/Badge.tsx"
import { useStoreId } from "../Store.ts"
import { ACTORS, type NamedEntry, verbOf } from "./Entries.ts"

/** The resource of an entry, with the way to it where it is still there. */
const Resource = ({ entry: { isThere, resource, resourceId, resourceName } }: { readonly entry: NamedEntry }) => {
  const storeId = useStoreId()
  if (!isThere) return <strong>{resourceName}</strong>
  return resource === "product" ? (
    <Link to="/dashboard/$storeId/products/$productId" params={{ storeId, productId: ProductId.make(resourceId) }}>
      {resourceName}
    </Link>
  ) : (
    <Link
      to="/dashboard/$storeId/collections/$collectionId"
      params={{ storeId, collectionId: CollectionId.make(resourceId) }}
    >
      {resourceName}
    </Link>
  )
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
