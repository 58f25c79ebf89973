import { Link, Outlet, useNavigate } from "@tanstack/react-router"
import { AccountMenu } from "../account/AccountMenu.tsx"
import { useLiveUpdates } from "../data/liveUpdates.ts"
import { Badge } from "../ui/display/Badge.tsx"
import { Shell } from "../ui/layout/Shell.tsx"
import css from "./StorePages.module.css"
import { useMember, useStoreId } from "./store.ts"
import { usePendingProposals } from "./usePendingProposals.ts"

/** Number of pending proposals, up to one page. */
const PendingProposalsBadge = () => {
  const { data } = usePendingProposals()
  const pending = data?.items.length ?? 0
  return pending === 0 ? undefined : <Badge tone="accent">{data?.nextCursor === null ? pending : `${pending}+`}</Badge>
}

const PAGES = [
  ["/dashboard/$storeId", "Home"],
  ["/dashboard/$storeId/products", "Products"],
  ["/dashboard/$storeId/collections", "Collections"],
  ["/dashboard/$storeId/orders", "Orders"],
  ["/dashboard/$storeId/customers", "Customers"],
  ["/dashboard/$storeId/apps", "Apps"],
  ["/dashboard/$storeId/agents", "Agents"],
  ["/dashboard/$storeId/proposals", "Proposals"],
  ["/dashboard/$storeId/activity", "Activity"],
  ["/dashboard/$storeId/settings", "Settings"]
] as const

const Nav = () => {
  const storeId = useStoreId()
  return (
    <ul>
      {PAGES.map(([to, name]) => (
        <li key={to}>
          <Link to={to} params={{ storeId }} activeOptions={{ exact: to === "/dashboard/$storeId" }}>
            {name}
            {name === "Proposals" ? <PendingProposalsBadge /> : undefined}
          </Link>
        </li>
      ))}
    </ul>
  )
}

const StoreSelect = () => {
  const storeId = useStoreId()
  const { stores } = useMember()
  const navigate = useNavigate()
  const change = (name: string) => {
    const chosen = stores.find((store) => store.storeId === name)
    if (chosen !== undefined) void navigate({ to: "/dashboard/$storeId", params: { storeId: chosen.storeId } })
  }
  return (
    <select
      className={css["stores"]}
      aria-label="Store"
      value={storeId}
      onChange={({ target }) => change(target.value)}
    >
      {stores.map((store) => (
        <option key={store.storeId} value={store.storeId}>
          {store.storeName}
        </option>
      ))}
    </select>
  )
}

/** Frame of the pages of one store. The key resets all state when another store opens. */
export const StorePages = () => {
  const storeId = useStoreId()
  const { name } = useMember()
  useLiveUpdates(storeId)
  return (
    <Shell top={<StoreSelect />} nav={<Nav />} account={<AccountMenu name={name} signIn="/dashboard/sign-in" />}>
      <Outlet key={storeId} />
    </Shell>
  )
}
