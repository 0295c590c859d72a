import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon.tsx'

interface PanelProps {
  /** The name of the panel for screen readers. */
  readonly label: string
  /** The address of the view without the panel. */
  readonly closeHref: string
  readonly children: ComponentChildren
}

/** What is open beside a list, with a link that closes it. */
export function Panel({ label, closeHref, children }: PanelProps): JSX.Element {
  return (
    <section class="panel" aria-label={label}>
      <a class="icon-button close" href={closeHref} aria-label="Close">
        <Icon name="close" />
      </a>
      {children}
    </section>
  )
}
