import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** A message about the result of an action. */
interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
}

/** Milliseconds for which a success is shown. A failure is shown until it is closed. */
const SHOWN = 5000
const MAX_TOASTS = 4

/** The messages about the latest actions. */
export class Toasts {
  #toasts: readonly Toast[] = []
  #count = 0
  readonly #listeners = new Set<(toasts: readonly Toast[]) => void>()

  /** Says that an action succeeded. */
  done(text: string): void {
    const id = this.#add('done', text)
    setTimeout(() => this.close(id), SHOWN)
  }

  /** Shows the message of an error. */
  failed(error: unknown): void {
    this.#add('failed', error instanceof Error ? error.message : String(error))
  }

  readonly close = (id: number): void => this.#set(this.#toasts.filter((one) => one.id !== id))

  readonly subscribe = (listener: (toasts: readonly Toast[]) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #add(kind: Toast['kind'], text: string): number {
    this.#count += 1
    const others = this.#toasts.filter((one) => one.text !== text).slice(1 - MAX_TOASTS)
    this.#set([...others, { id: this.#count, kind, text }])
    return this.#count
  }

  #set(toasts: readonly Toast[]): void {
    this.#toasts = toasts
    for (const listener of this.#listeners) listener(toasts)
  }
}

export function ToastList({ toasts }: { readonly toasts: Toasts }): JSX.Element {
  const [shown, show] = useState<readonly Toast[]>([])
  useEffect(() => toasts.subscribe(show), [toasts])

  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <p>{text}</p>
          <button
            type="button"
            class="icon-button"
            aria-label="Close"
            onClick={() => toasts.close(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
