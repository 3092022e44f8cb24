use super::*;

/// Both counts by the rules alone: every sequence played on a board that is searched whole for
/// lines after every move.
fn slow(board: &mut Board, turn: Mark, depth: u64) -> u64 {
    if depth == 0 {
        return 1;
    }
    if slow_is_over(board) {
        return 0;
    }
    let free = board.free().collect::<Vec<_>>();
    let mut sequences = 0;
    for square in free {
        board.place(square, turn).unwrap();
        sequences += slow(board, turn.other(), depth - 1);
        board.unplace(square);
    }
    sequences
}

/// Whether some maximal run has the length of a line.
fn slow_is_over(board: &Board) -> bool {
    let shape = board.shape();
    let at = |row: i32, col: i32| {
        let (row, col) = (u16::try_from(row).ok()?, u16::try_from(col).ok()?);
        (row < shape.rows() && col < shape.cols()).then(|| board.at(Square { row, col }))?
    };
    shape.iter().any(|Square { row, col }| {
        [(0, 1), (1, 0), (1, 1), (1, -1)]
            .into_iter()
            .any(|(down, right)| {
                let along =
                    |step: i32| at(i32::from(row) + step * down, i32::from(col) + step * right);
                let Some(mark) = along(0).filter(|&mark| along(-1) != Some(mark)) else {
                    return false;
                };
                let run = (0..1024)
                    .take_while(|&step| along(step) == Some(mark))
                    .count();
                let k = usize::from(shape.k());
                if shape.is_exact() { run == k } else { run >= k }
            })
    })
}

/// Numbers from a seed (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }
}

fn shape(rows: u16, cols: u16, k: u16, exact: bool) -> Shape {
    let shape = Shape::new(rows.into(), cols.into(), k.into()).unwrap();
    shape.with_exact(exact)
}

fn never() -> bool {
    false
}

/// Depths as far as there are at most `most` sequences, or a tenth of that without optimization.
fn depths(board: &Board, most: u128) -> impl Iterator<Item = u64> + use<> {
    let free = board.free().count();
    let most = if cfg!(debug_assertions) {
        most / 10
    } else {
        most
    };
    (0..12)
        .take_while(move |&depth| arrangements(free, depth) <= most)
        .map(|depth| depth as u64)
}

#[test]
fn every_small_shape_counts_as_by_hand() {
    for (rows, cols) in (1..=4).flat_map(|rows| (1..=7).map(move |cols| (rows, cols))) {
        for (k, exact) in (1..=rows.max(cols)).flat_map(|k| [(k, false), (k, true)]) {
            let mut board = Board::new(shape(rows, cols, k, exact));
            for depth in depths(&board, 6_000) {
                let expected = Ok(slow(&mut board, Mark::X, depth));
                let case = format!("{rows} x {cols}, k = {k}, exact: {exact}, depth {depth}");
                assert_eq!(perft(&board, Mark::X, depth, &never), expected, "{case}");
                assert_eq!(
                    walk(&board, Mark::X, depth, &never),
                    expected,
                    "walk, {case}"
                );
            }
        }
    }
}

#[test]
fn any_board_counts_as_by_hand() {
    let mut random = SplitMix(3);
    for _ in 0..if cfg!(debug_assertions) { 100 } else { 400 } {
        let (rows, cols) = [
            (3, 3),
            (1, 9),
            (3, 5),
            (4, 4),
            (5, 3),
            (2, 6),
            (5, 5),
            (6, 4),
            (7, 1),
            (6, 7),
        ][random.below(10)];
        let k = 1 + u16::try_from(random.below(usize::from(rows.max(cols)))).unwrap();
        let mut board = Board::new(shape(rows, cols, k, random.below(2) == 0));
        let turn = [Mark::X, Mark::O][random.below(2)];
        // No balance of marks is kept, and now and then there is a line already: the counts know
        // no more than the board.
        let empty = random.below(8);
        for square in board.shape().iter() {
            match random.below(8) {
                chance if chance < empty => {}
                chance => {
                    board.place(square, [Mark::X, Mark::O][chance % 2]).unwrap();
                    if slow_is_over(&board) && random.below(20) > 0 {
                        board.unplace(square);
                    }
                }
            }
        }
        for depth in depths(&board, 6_000) {
            let expected = Ok(slow(&mut board, turn, depth));
            assert_eq!(
                perft(&board, turn, depth, &never),
                expected,
                "{board:?}, {turn:?}, depth {depth}"
            );
            assert_eq!(
                walk(&board, turn, depth, &never),
                expected,
                "walk, {board:?}, {turn:?}, depth {depth}"
            );
        }
        for depth in depths(&board, 200_000) {
            let expected = walk(&board, turn, depth, &never);
            assert_eq!(
                perft(&board, turn, depth, &never),
                expected,
                "{board:?}, {turn:?}, depth {depth}"
            );
        }
    }
}

#[test]
fn deep_counts_agree_with_the_walk() {
    for (rows, cols, k, exact, depth) in [
        (3, 3, 3, false, 9),
        (2, 5, 3, true, 10),
        (2, 5, 2, true, 10),
        (1, 11, 3, true, 9),
        (3, 4, 3, true, 9),
        (4, 4, 3, true, 8),
        (4, 4, 3, false, 8),
        (5, 5, 3, true, 7),
        (7, 7, 2, false, 5),
        (4, 9, 2, true, 5),
    ] {
        let board = Board::new(shape(rows, cols, k, exact));
        // Without optimization the deepest walks take a while.
        let depth = if cfg!(debug_assertions) {
            depth.min(4)
        } else {
            depth
        };
        let case = format!("{rows} x {cols}, k = {k}, exact: {exact}, depth {depth}");
        assert_eq!(
            perft(&board, Mark::X, depth, &never),
            walk(&board, Mark::X, depth, &never),
            "{case}"
        );
    }
}

#[test]
fn published_counts_are_met() {
    let counts = |rows, cols, k| {
        let board = Board::new(shape(rows, cols, k, false));
        (1..=u64::from(rows * cols))
            .map(|depth| perft(&board, Mark::X, depth, &never).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        counts(3, 3, 3),
        [9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872]
    );
    // A game that ends with a move has no continuation to lose: games of each length are the
    // sequences that do not go on.
    for ((rows, cols, k), games) in [((3, 3, 3), 255_168), ((4, 4, 4), 15_038_733_958_272)] {
        let free = u64::from(rows * cols);
        let counts = counts(rows, cols, k);
        // Each sequence that goes on does so in as many ways as squares are free.
        let going_on =
            (1..free).map(|depth| counts[usize::try_from(depth).unwrap()] / (free - depth));
        let total = counts.iter().sum::<u64>() - going_on.sum::<u64>();
        assert_eq!(total, games, "{rows} x {cols}, k = {k}");
    }
    assert_eq!(
        perft(&Board::new(shape(19, 19, 5, false)), Mark::X, 7, &never),
        Ok(753_587_602_331_659_200)
    );
}

#[test]
fn counts_beyond_64_bits_are_refused() {
    // 256 x 256 squares: 2^64 is just above 65,536 * 65,535 * 65,534 * 65,533, and far below with
    // one square more a side.
    for (side, k, depth) in [
        (257, 5, 4),
        (300, 5, 4),
        (300, 2, 100),
        (19, 5, 8),
        (15, 5, 9),
        (6, 6, 14),
        (300, 300, 1 << 14),
    ] {
        let board = Board::new(shape(side, side, k, false));
        assert_eq!(
            perft(&board, Mark::X, depth, &never),
            Err(PerftError::Overflow),
            "{side}, k = {k}, depth {depth}"
        );
    }
    let board = Board::new(shape(256, 256, 5, false));
    assert_eq!(
        perft(&board, Mark::X, 4, &never),
        Ok(65_536 * 65_535 * 65_534 * 65_533)
    );
}

#[test]
fn a_depth_beyond_the_board_counts_nothing() {
    for depth in [10, 11, u64::MAX] {
        assert_eq!(
            perft(&Board::new(Shape::TIC_TAC_TOE), Mark::X, depth, &never),
            Ok(0),
            "depth {depth}"
        );
        assert_eq!(
            walk(&Board::new(Shape::TIC_TAC_TOE), Mark::X, depth, &never),
            Ok(0),
            "depth {depth}"
        );
    }
}

#[test]
fn a_stop_ends_the_count() {
    let board = Board::new(shape(7, 7, 4, false));
    assert_eq!(
        perft(&board, Mark::X, 11, &|| true),
        Err(PerftError::Stopped)
    );
    assert_eq!(
        walk(&board, Mark::X, 11, &|| true),
        Err(PerftError::Stopped)
    );
    assert_eq!(
        perft(&Board::new(shape(6, 6, 3, true)), Mark::X, 9, &|| true),
        Err(PerftError::Stopped)
    );
}
