/** Milliseconds in which the pieces of a stream are read together. */
const INTERVAL = 50

/** The bytes that are passed on in one task. More would keep the page from answering to the keyboard on a slow machine. */
const SLICE = 16_384

/**
 * The response of a stream of events, which is read at most every so often. A browser gives what has arrived since in one piece, so
 * that a thousand events per second do not wake the page a thousand times. A large piece is passed on in slices.
 */
export function inBatches(response: Response): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  let readAt = -INTERVAL
  let rest: Uint8Array | undefined
  const read = async (): Promise<Uint8Array | undefined> => {
    const wait = readAt + INTERVAL - performance.now()
    if (wait > 0) await laterBy(wait)
    const { value } = await reader.read()
    readAt = performance.now()
    return value
  }
  const batches = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (rest) await laterBy(0)
        const piece = rest ?? (await read())
        if (!piece) return controller.close()
        rest = piece.length > SLICE ? piece.subarray(SLICE) : undefined
        controller.enqueue(piece.subarray(0, SLICE))
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )

  return new Response(batches, response)
}

/** Resolves in a task of its own. */
function laterBy(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** When the page was drawn, and how long it took, in milliseconds. */
export interface Drawing {
  readonly at: number
  readonly took: number
}

/** Milliseconds between two drawings. At a thousand exchanges per second, drawing each frame would take the whole processor. */
const DRAW_INTERVAL = 80

/** The page draws at most so much of the time, so that a slow machine still answers to the keyboard. */
const DRAW_SHARE = 1 / 40

/** Milliseconds after which the page is drawn in any case, also after a first drawing that took long. */
const MAX_DRAW_INTERVAL = 500

/** Milliseconds after a key was pressed in which a slow page is not drawn: another key may follow, and would wait for the drawing. */
const TYPING = 300

/** Milliseconds after a drawing in which the next one waits for somebody who types. */
const MAX_HELD = 2000

/**
 * How long the next drawing has to wait at `now` for somebody who pressed a key at `pressed`, in milliseconds. A page that is drawn fast hardly
 * waits.
 */
export function waitForKeys({ at, took }: Drawing, pressed: number, now: number): number {
  return Math.min(pressed + Math.min(took * 10, TYPING), at + MAX_HELD) - now
}

/** How long the next drawing has to wait at `now`, in milliseconds. */
export function waitAfter({ at, took }: Drawing, now: number): number {
  const interval = Math.min(took / DRAW_SHARE, MAX_DRAW_INTERVAL)
  return Math.max(DRAW_INTERVAL, at + interval - now)
}
