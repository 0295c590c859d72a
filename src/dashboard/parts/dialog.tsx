import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

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
