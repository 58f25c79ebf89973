import { Link, Outlet, useNavigate, useRouteContext } from "@tanstack/react-router"
import {
  ArrowDownUp,
  Blocks,
  Bot,
  ClipboardCheck,
  History,
  House,
  Images,
  Layers,
  Package,
  Search,
  Settings,
  ShoppingCart,
  Users
} from "lucide-react"
import { Suspense, useEffect, useMemo, useState, lazy } from "react"
import { AccountMenu } from "../features/account/AccountMenu.tsx"
import { SessionDialog } from "../features/account/SessionDialog.tsx"
import { DatesContext, makeDates } from "../shared/data/format.ts"
import { LiveUpdates } from "../shared/data/liveUpdates.tsx"
import { Badge } from "../shared/ui/display/Values.tsx"
import { Shell } from "../shared/ui/layout/Shell.tsx"
import { useMember, useStoreId } from "../shared/data/store.ts"
import { usePendingProposals } from "../features/proposals/proposalQueries.ts"
import { EmptyState } from "../shared/ui/display/QueryBoundary.tsx"
import { Page } from "../shared/ui/layout/Page.tsx"
import { useUnfinishedChangeSets } from "../features/changes/useChangeSets.ts"
import { lazyPage } from "./Root.tsx"
import css from "./StorePages.module.css"
import { dashboardTexts } from "./dashboardTexts.ts"

/** Number of pending proposals, up to one page. */
const PendingProposalsBadge = () => {
  const { data } = usePendingProposals()
  const pending = data?.items.length ?? 0
  return pending === 0 ? undefined : <Badge tone="accent">{data?.nextCursor === null ? pending : `${pending}+`}</Badge>
}

export const PAGES = [
  ["/dashboard/$storeId", dashboardTexts.pages.home, House],
  ["/dashboard/$storeId/products", dashboardTexts.pages.products, Package],
  ["/dashboard/$storeId/collections", dashboardTexts.pages.collections, Layers],
  ["/dashboard/$storeId/files", dashboardTexts.pages.files, Images],
  ["/dashboard/$storeId/orders", dashboardTexts.pages.orders, ShoppingCart],
  ["/dashboard/$storeId/customers", dashboardTexts.pages.customers, Users],
  ["/dashboard/$storeId/apps", dashboardTexts.pages.apps, Blocks],
  ["/dashboard/$storeId/agents", dashboardTexts.pages.agents, Bot],
  ["/dashboard/$storeId/proposals", dashboardTexts.pages.proposals, ClipboardCheck],
  ["/dashboard/$storeId/activity", dashboardTexts.pages.activity, History],
  ["/dashboard/$storeId/import", dashboardTexts.pages.imports, ArrowDownUp],
  ["/dashboard/$storeId/settings", dashboardTexts.pages.settings, Settings]
] as const

const Nav = () => {
  const storeId = useStoreId()
  return (
    <ul>
      {PAGES.map(([to, name, Icon]) => (
        <li key={to}>
          <Link to={to} params={{ storeId }} activeOptions={{ exact: to === "/dashboard/$storeId" }}>
            <Icon size={18} />
            <span>{name}</span>
            {to === "/dashboard/$storeId/proposals" ? <PendingProposalsBadge /> : undefined}
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
      aria-label={dashboardTexts.pages.store}
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

const Palette = lazyPage(() => import("./Palette.tsx"), "Palette")

const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]"

/** True for Ctrl+K and ⌘K, and for `/` unless it is typed into a control. */
const isSearchKey = ({ altKey, ctrlKey, key, metaKey, shiftKey, target }: KeyboardEvent) =>
  ctrlKey || metaKey
    ? key.toLowerCase() === "k" && !altKey && !shiftKey
    : key === "/" && !altKey && !(target instanceof Element && target.closest(TYPING) !== null)

/** Opens the command palette. So do `/`, Ctrl+K and ⌘K, unless a dialog is open. */
const SearchButton = () => {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isSearchKey(event)) return
      // Browsers focus their address bar or page search.
      event.preventDefault()
      if (document.querySelector("[role=dialog], [role=alertdialog]") === null) setIsOpen(true)
    }
    addEventListener("keydown", onKeyDown)
    return () => removeEventListener("keydown", onKeyDown)
  }, [])
  return (
    <>
      <button
        type="button"
        className={css["search"]}
        aria-keyshortcuts="/ Control+K Meta+K"
        onClick={() => setIsOpen(true)}
      >
        <Search size={18} />
        <span>{dashboardTexts.palette.search}</span>
        <kbd aria-hidden>/</kbd>
      </button>
      <Suspense>{isOpen ? <Palette pages={PAGES} close={() => setIsOpen(false)} /> : undefined}</Suspense>
    </>
  )
}

/** Frame of the pages of a signed-in merchant. */
export const MemberPages = () => {
  const { account } = useRouteContext({ from: "/dashboard/member" })
  return (
    <>
      <Outlet />
      <SessionDialog account={account} />
    </>
  )
}

/** Frame of the pages of one store. The key resets all state when another store opens. */
export const StorePages = () => {
  const storeId = useStoreId()
  const { name, timezone } = useMember()
  const dates = useMemo(() => makeDates(timezone), [timezone])
  return (
    <DatesContext value={dates}>
      <LiveUpdates storeId={storeId}>
        <Shell
          top={
            <>
              <StoreSelect />
              <SearchButton key={`${storeId} search`} />
            </>
          }
          nav={<Nav />}
          account={<AccountMenu name={name} signIn="/dashboard/sign-in" />}
        >
          <RunningChanges key={`${storeId} changes`} />
          <Outlet key={storeId} />
        </Shell>
      </LiveUpdates>
    </DatesContext>
  )
}

/** Shown to accounts without a store. */
export const NoStorePage = () => (
  <Page title={dashboardTexts.noStore.title}>
    <EmptyState title={dashboardTexts.noStore.reason}>
      <p>{dashboardTexts.noStore.advice}</p>
    </EmptyState>
  </Page>
)

/** Loaded when a set runs, to keep the schemas of edits out of the first load. */
const RunningBar = lazy(() =>
  import("../features/changes/RunningBar.tsx").then(({ RunningBar }) => ({ default: RunningBar }))
)

/** Progress of the change sets that are applied in the store, on every page and for every member. */
const RunningChanges = () => {
  const applying = useUnfinishedChangeSets().data?.items.filter(({ state }) => state === "applying") ?? []
  return applying.length === 0 ? undefined : (
    <Suspense>
      <RunningBar applying={applying} />
    </Suspense>
  )
}
