import { Link, Outlet, useRouteContext } from "@tanstack/react-router"
import { AccountMenu } from "../account/AccountMenu.tsx"
import { Shell } from "../ui/layout/Shell.tsx"

const Nav = () => (
  <ul>
    <li>
      <Link to="/developers">Apps</Link>
    </li>
    <li>
      <a href="/docs">API reference</a>
    </li>
  </ul>
)

/** Frame of the developer portal. */
export const DeveloperPages = () => {
  const { account } = useRouteContext({ from: "/developers/developer" })
  return (
    <Shell top="Developers" nav={<Nav />} account={<AccountMenu name={account.name} signIn="/developers/sign-in" />}>
      <Outlet />
    </Shell>
  )
}
