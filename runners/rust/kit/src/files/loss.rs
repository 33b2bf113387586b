//! What a damage-tolerant format lost: reported on standard error, beside the rows that survived.

use std::sync::Mutex;

static LOSS: Mutex<Option<String>> = Mutex::new(None);

/// Records what was lost.
pub fn report_loss(line: String) {
    if let Ok(mut loss) = LOSS.lock() {
        *loss = Some(line);
    }
}

/// What was lost, if anything.
pub fn reported_loss() -> Option<String> {
    LOSS.lock().ok()?.take()
}
