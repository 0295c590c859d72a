/** Waits until `saveChanges` has saved a change. A change that cannot be saved is undone; then it rejects with the reason. */
export async function commitOrUndo(
  saveChanges: () => Promise<void>,
  undo: (() => Promise<void>) | undefined,
): Promise<void> {
  try {
    await saveChanges()
  } catch (error) {
    await undo?.()
    throw error
  }
}
