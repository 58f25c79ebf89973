import { Link, useRouter, useSearch } from "@tanstack/react-router"
import { SignInForm } from "../account/SignInForm.tsx"

/** Signs a developer in, then returns to the page that was requested. */
export const SignInPage = () => {
  const search = useSearch({ from: "/developers/sign-in" })
  const { back = "/developers" } = search
  const router = useRouter()
  return (
    <SignInForm
      title="Sign in as a developer"
      onSignedIn={() => router.history.push(back)}
      below={
        <p>
          No account yet?{" "}
          <Link to="/developers/sign-up" search={search}>
            Sign up
          </Link>
        </p>
      }
    />
  )
}
