import { Link } from "@tanstack/react-router"

/** The way to the list. */
export const BackToApps = () => (
  <p>
    <Link to="/developers">← Apps</Link>
  </p>
)
