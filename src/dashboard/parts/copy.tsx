import type { JSX } from 'preact'
import { usePage } from '../page.ts'
import { Icon } from './icon.tsx'

interface CopyProps {
  readonly text: string
  /** A verb with its object, such as "Copy as curl". */
  readonly label: string
  /** Only the icon is drawn; the label is the name. */
  readonly isSmall?: boolean
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label, isSmall = false }: CopyProps): JSX.Element {
  const { toasts } = usePage()
  const copy = (): Promise<void> =>
    writeClipboard(text).then(
      () => toasts.done('Copied.'),
      () => toasts.failed('Cannot copy: the browser does not allow it.'),
    )

  return (
    <button
      type="button"
      class={isSmall ? 'icon-button' : ''}
      {...(isSmall && { 'aria-label': label, title: label })}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
      {!isSmall && label}
    </button>
  )
}

/** Pages that are not served over HTTPS or from this machine have no clipboard. */
async function writeClipboard(text: string): Promise<void> {
  const { clipboard }: { readonly clipboard?: Clipboard } = navigator
  if (!clipboard) throw new TypeError('There is no clipboard')
  await clipboard.writeText(text)
}
