import type { ComponentChildren, JSX } from 'preact'

interface EmptyProps {
  readonly title: string
  /** What to do next. */
  readonly children?: ComponentChildren
}

/** What a view shows when there is nothing to show. */
export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** What a view shows until its content is loaded, or when that failed. */
export function Pending({ error }: { readonly error?: string | undefined }): JSX.Element {
  return error === undefined ? (
    <p class="quiet pending">Loading…</p>
  ) : (
    <p class="error-box" role="alert">
      {error}
    </p>
  )
}
