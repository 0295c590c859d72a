import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Badge, type Tone } from '../../report/html/sections.tsx'

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

/** The first items of a long list, and a button that shows all of them. `what` names the items. */
export function useFirst<Item>(
  items: readonly Item[],
  most: number,
  what?: string,
): { readonly first: readonly Item[]; readonly more: JSX.Element | false } {
  const [shown, setShown] = useState(most)
  const hidden = items.length - shown
  const label = `Show ${hidden.toLocaleString('en')} more`

  return {
    first: items.slice(0, shown),
    more: hidden > 0 && (
      <button
        type="button"
        class={what === undefined ? 'small' : ''}
        onClick={() => setShown(items.length)}
      >
        {what === undefined ? label : `${label} ${what}`}
      </button>
    ),
  }
}

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

interface DialogProps {
  readonly title: string
  /** Called when the dialog is closed by Escape or its button. */
  readonly onClose: () => void
  /** A dialog that must be answered has no button to close it. */
  readonly isRequired?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog. It is open for as long as it is part of the page. */
export function Dialog({ title, onClose, isRequired, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    return () => element?.close()
  }, [])

  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!isRequired) onClose()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!isRequired && (
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}

interface ConfirmDialogProps {
  readonly title: string
  /** The button that confirms: a verb with its object, such as "Delete world". */
  readonly label: string
  /** What cannot be undone. */
  readonly question: ComponentChildren
  readonly onClose: () => void
  /** Called after the dialog is closed. */
  readonly onConfirm: () => unknown
}

/** Asks before what cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps): JSX.Element {
  const { title, label, question, onClose, onConfirm } = props

  return (
    <Dialog title={title} onClose={onClose}>
      <p class="long">{question}</p>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="danger primary"
          onClick={() => {
            onClose()
            onConfirm()
          }}
        >
          {label}
        </button>
      </div>
    </Dialog>
  )
}

interface ConfirmButtonProps {
  /** A verb with its object, such as "Delete world". Also the title and the button of the dialog. */
  readonly label: string
  /** Whose button it is, where there are several with the same label, such as the name of a scenario. */
  readonly subject?: string
  /** What cannot be undone. */
  readonly question: ComponentChildren
  readonly onConfirm: () => unknown
  readonly isDisabled?: boolean
}

/** A button for what cannot be undone. It asks first. */
export function ConfirmButton(props: ConfirmButtonProps): JSX.Element {
  const { label, subject, question, onConfirm, isDisabled = false } = props
  const [isOpen, setOpen] = useState(false)
  const name = subject === undefined ? label : `${label} ${subject}`

  return (
    <>
      <button
        type="button"
        class="danger"
        aria-label={name}
        disabled={isDisabled}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen && (
        <ConfirmDialog
          title={`${name}?`}
          label={label}
          question={question}
          onClose={() => setOpen(false)}
          onConfirm={onConfirm}
        />
      )}
    </>
  )
}

/** A name with its value. */
export interface Fact {
  readonly name: string
  /** A fact whose value is `undefined` or `false` is left out. */
  readonly value: ComponentChildren
}

/** Names with their values, in columns. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(({ value }) => value !== undefined && value !== false)
        .map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Paths in a box of 16 × 16. */
const PATHS = {
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  menu: 'M2 4h12M2 8h12M2 12h12',
  back: 'M10 3L5 8l5 5',
  pause: 'M5.5 3v10M10.5 3v10',
  play: 'M5 3l8 5-8 5z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
} as const

/** A decorative drawing. The element around it has the name. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The status of a response; 0 when there was none. */
export function StatusBadge({ status }: { readonly status: number }): JSX.Element {
  return <Badge tone={toneOf(status)}>{status === 0 ? 'no response' : status}</Badge>
}

function toneOf(status: number): Tone {
  if (status === 0 || status >= 500) return 'bad'
  if (status >= 400) return 'warning'
  return status >= 300 ? 'neutral' : 'good'
}
