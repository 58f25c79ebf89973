import { Link, useRouter, useSearch } from "@tanstack/react-router"
import { SignInForm } from "../account/SignInForm.tsx"
import { accountTexts } from "../account/accountTexts.ts"

/** Signs a developer in, then returns to the page that was requested. */
export const SignInPage = () => {
  const search = useSearch({ from: "/developers/sign-in" })
  const { back = "/developers" } = search
  const router = useRouter()
  return (
    <SignInForm
      title={accountTexts.signInAsDeveloper}
      onSignedIn={() => router.history.push(back)}
      below={
        <p>
          {accountTexts.noAccount}{" "}
          <Link to="/developers/sign-up" search={search}>
            {accountTexts.signUp}
          </Link>
        </p>
      }
    />
  )
}
