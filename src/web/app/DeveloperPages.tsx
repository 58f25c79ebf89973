import { Link, Outlet, useRouteContext } from "@tanstack/react-router"
import { AccountMenu } from "../features/account/AccountMenu.tsx"
import { SessionDialog } from "../features/account/SessionDialog.tsx"
import { Shell } from "../shared/ui/layout/Shell.tsx"
import { portalTexts } from "../features/portal/portalTexts.ts"

const Nav = () => (
  <ul>
    <li>
      <Link to="/developers">{portalTexts.navigation.apps}</Link>
    </li>
    <li>
      {/* In a new tab: a form that is being filled in stays open. */}
      <a href="/docs" target="_blank" rel="noreferrer">
        {portalTexts.navigation.reference}
      </a>
    </li>
  </ul>
)

/** Frame of the developer portal. */
export const DeveloperPages = () => {
  const { account } = useRouteContext({ from: "/developers/developer" })
  return (
    <Shell
      top={portalTexts.navigation.title}
      nav={<Nav />}
      account={<AccountMenu name={account.name} signIn="/developers/sign-in" />}
    >
      <Outlet />
      <SessionDialog account={account} />
    </Shell>
  )
}
