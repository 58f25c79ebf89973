import { Link, Outlet, useRouteContext } from "@tanstack/react-router"
import { AccountMenu } from "../account/AccountMenu.tsx"
import { Shell } from "../ui/layout/Shell.tsx"
import { developerTexts } from "./developerTexts.ts"

const Nav = () => (
  <ul>
    <li>
      <Link to="/developers">{developerTexts.navigation.apps}</Link>
    </li>
    <li>
      <a href="/docs">{developerTexts.navigation.reference}</a>
    </li>
  </ul>
)

/** Frame of the developer portal. */
export const DeveloperPages = () => {
  const { account } = useRouteContext({ from: "/developers/developer" })
  return (
    <Shell
      top={developerTexts.navigation.title}
      nav={<Nav />}
      account={<AccountMenu name={account.name} signIn="/developers/sign-in" />}
    >
      <Outlet />
    </Shell>
  )
}
