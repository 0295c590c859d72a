import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatNumber } from '../../report/format.ts'
import { Badge, type Tone } from '../../report/html/sections.tsx'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'disabled' | 'onClick'> & {
  readonly disabled?: boolean
  readonly onClick?: () => unknown
}

/**
 * A button that does not submit a form. While it is disabled it keeps the focus, which browsers take from an element with the
 * attribute `disabled`.
 */
export function Button({ disabled = false, onClick, ...props }: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      {...props}
      {...(disabled && { 'aria-disabled': 'true' as const })}
      onClick={() => {
        if (!disabled) onClick?.()
      }}
    />
  )
}

interface SubmitProps {
  /** A verb with its object, such as "Add key". */
  readonly label: string
  readonly isBusy?: boolean
  readonly isPrimary?: boolean
}

/** The button that submits a form. */
export function SubmitButton({ label, isBusy, isPrimary }: SubmitProps): JSX.Element {
  return (
    <button
      type="submit"
      class={isPrimary ? 'primary' : ''}
      {...(isBusy && { 'aria-disabled': 'true' as const })}
    >
      {label}
    </button>
  )
}

/** A button that closes what it is in. */
export function CloseButton({ onClick }: { readonly onClick: () => void }): JSX.Element {
  return (
    <Button class="icon-button" aria-label="Close" onClick={onClick}>
      <Icon name="close" />
    </Button>
  )
}

type FormProps = Omit<JSX.IntrinsicElements['form'], 'onSubmit'> & {
  readonly onSubmit: () => unknown
}

/** A form that the page itself submits. */
export function Form({ onSubmit, ...props }: FormProps): JSX.Element {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    />
  )
}

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

interface PendingProps {
  readonly error?: string | undefined
  /** What takes time. */
  readonly text?: string
}

/** What a view shows until its content is loaded, or when that failed. */
export function Pending({ error, text = 'Loading…' }: PendingProps): JSX.Element {
  if (error === undefined) return <p class="quiet pending">{text}</p>
  return <ErrorText class="error-box">{error}</ErrorText>
}

/** What is wrong. Screen readers read it at once. */
export function ErrorText({ class: kind = 'error', children }: ErrorProps): JSX.Element {
  return (
    <p class={kind} role="alert">
      {children}
    </p>
  )
}

/** A part of the page whose code is loaded when it is shown for the first time. */
export function loadedLater(load: () => Promise<() => JSX.Element>): () => JSX.Element {
  let loaded: (() => JSX.Element) | undefined
  return () => {
    const [Part, show] = useState(() => loaded)
    const [error, setError] = useState<string | undefined>(undefined)
    useEffect(() => {
      if (loaded) return
      load().then(
        (part) => {
          loaded = part
          show(() => part)
        },
        () => setError('This part of the page cannot be loaded. Load the page again.'),
      )
    }, [])
    return Part ? <Part /> : <Pending error={error} />
  }
}

interface ErrorProps {
  readonly class?: string
  readonly children: ComponentChildren
}

/** The first items of a long list, and a button that shows all of them. `what` names the items. */
export function useFirst<Item>(
  items: readonly Item[],
  most: number,
  what?: string,
): { readonly first: readonly Item[]; readonly more: JSX.Element | false } {
  const [shown, setShown] = useState(most)
  const hidden = items.length - shown
  const label = `Show ${formatNumber(hidden)} more`

  return {
    first: items.slice(0, shown),
    more: hidden > 0 && (
      <Button class={what === undefined ? 'small' : ''} onClick={() => setShown(items.length)}>
        {what === undefined ? label : `${label} ${what}`}
      </Button>
    ),
  }
}

interface SplitProps {
  readonly children: JSX.Element
  /** What is open beside it. */
  readonly panel: JSX.Element | false
}

/** A list, and what is open beside it. On narrow screens, one of them is shown. Escape closes what is open. */
export function Split({ children, panel }: SplitProps): JSX.Element {
  const split = useRef<HTMLDivElement>(null)
  const isOpen = panel !== false
  useEffect(() => {
    if (!isOpen) return undefined
    // On the window: a click beside the controls gives the focus to the whole page.
    const press = (event: KeyboardEvent): void => closePanel(event, split.current)
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOpen])

  return (
    <div ref={split} class={isOpen ? 'split open' : 'split'}>
      {children}
      {panel}
    </div>
  )
}

/** Follows the link that closes the panel. In a search field, Escape removes what is typed. */
function closePanel(event: KeyboardEvent, split: HTMLElement | null): void {
  const { key, target, defaultPrevented } = event
  const isTyped = target instanceof HTMLInputElement && target.type === 'search' && target.value
  const link = split?.querySelector<HTMLElement>(':scope > .panel > .close')
  if (key !== 'Escape' || defaultPrevented || isTyped || !link) return
  if (document.querySelector('dialog[open]')) return
  // The same key would close the dialog that asks about unsaved edits.
  event.preventDefault()
  link.click()
}

/** Gives the focus back to what had it before this part was drawn, when the part is removed with the focus. */
function useReturnedFocus(): void {
  useLayoutEffect(() => {
    const { activeElement } = document
    return () => {
      setTimeout(() => {
        const isLost = document.activeElement === document.body
        if (isLost && activeElement instanceof HTMLElement) activeElement.focus()
      })
    }
  }, [])
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
  useReturnedFocus()

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
  useReturnedFocus()
  // At once, so that what is typed next goes into the dialog.
  useLayoutEffect(() => {
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
        {!isRequired && <CloseButton onClick={onClose} />}
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
        <Button onClick={onClose}>Cancel</Button>
        <Button
          class="danger primary"
          onClick={() => {
            onClose()
            onConfirm()
          }}
        >
          {label}
        </Button>
      </div>
    </Dialog>
  )
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'title' | 'onClose'> {
  /** Whose button it is, where there are several with the same label, such as the name of a scenario. */
  readonly subject?: string
  readonly isDisabled?: boolean
}

/** A button for what cannot be undone. It asks first. */
export function ConfirmButton(props: ConfirmButtonProps): JSX.Element {
  const { label, subject = '', isDisabled = false } = props
  const [isOpen, setOpen] = useState(false)
  const name = `${label} ${subject}`.trim()

  return (
    <>
      <Button class="danger" aria-label={name} disabled={isDisabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <ConfirmDialog {...props} title={`${name}?`} onClose={() => setOpen(false)} />}
    </>
  )
}

interface FileButtonProps {
  /** A verb with its object, such as "Restore snapshot…". */
  readonly label: string
  /** What the file is, such as "Snapshot file". */
  readonly fileLabel: string
  /** The kinds of files; by default, JSON. */
  readonly accept?: string
  readonly isDisabled: boolean
  readonly onChoose: (file: File) => unknown
}

/** A button that asks for a file. */
export function FileButton(props: FileButtonProps): JSX.Element {
  const { label, fileLabel, isDisabled, onChoose, accept = '.json,application/json' } = props
  const input = useRef<HTMLInputElement>(null)

  return (
    <>
      <Button disabled={isDisabled} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={fileLabel}
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onChoose(file)
          // The same file can be chosen again.
          currentTarget.value = ''
        }}
      />
    </>
  )
}

/** Names with their values. A fact whose value is `undefined` or `false` is left out. */
export type FactValues = Readonly<Record<string, ComponentChildren>>

/** Names with their values, in columns. */
export function Facts({ facts }: { readonly facts: FactValues }): JSX.Element {
  return (
    <dl class="facts">
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
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
