import { useRouter, useSearch } from "@tanstack/react-router"
import { SignInForm } from "../account/SignInForm.tsx"

/** The way into the portal, and back to where it was asked for. */
export const SignInPage = () => {
  const { back = "/developers" } = useSearch({ from: "/developers/sign-in" })
  const router = useRouter()
  return <SignInForm title="Sign in as a developer" signedIn={() => router.history.push(back)} />
}
