/** A client of a server. It has no stream before it connects. */
interface Node {
  readonly stream?: { cork(): void; uncork(): void }
}

/** The original timer. Fake timers of a test must not stop a command. */
const { setImmediate: afterTurn } = globalThis

/**
 * Returns a function to be called before each command. The commands of one turn of the event loop are written at once, because a system
 * call for each of them costs more than the rest of the command, here and in the store.
 */
export function gatherWrites(nodes: () => Iterable<Node>): () => void {
  let isGathering = false

  return () => {
    if (isGathering) return
    isGathering = true
    const streams = [...nodes()].flatMap(({ stream }) => stream ?? [])
    for (const stream of streams) stream.cork()
    afterTurn(() => {
      isGathering = false
      for (const stream of streams) stream.uncork()
    })
  }
}
