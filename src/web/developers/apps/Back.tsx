import { Link } from "@tanstack/react-router"

/** The way to the list. */
export const Back = () => (
  <p>
    <Link to="/developers">← Apps</Link>
  </p>
)
